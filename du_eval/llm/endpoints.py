"""Where a model lives: from `provider/name`, an address and the environment to an endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from msgspec import Struct

from du_eval.errors import ConfigError, did_you_mean
from du_eval.trust.secrets import public_url, split_credentials

_OPENAI = "openai"


class Provider(Struct, frozen=True):
    """A well-known provider: its address, and the variable that holds its key."""

    base_url: str
    key_variable: str


PROVIDERS: Mapping[str, Provider] = {
    _OPENAI: Provider("https://api.openai.com/v1", "OPENAI_API_KEY"),
    "openrouter": Provider("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    "groq": Provider("https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    "mistral": Provider("https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
    "deepseek": Provider("https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
    "together": Provider("https://api.together.xyz/v1", "TOGETHER_API_KEY"),
    "fireworks": Provider("https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY"),
    "ollama": Provider("http://127.0.0.1:11434/v1", ""),
    "lmstudio": Provider("http://127.0.0.1:1234/v1", ""),
}


class Endpoint(Struct, frozen=True):
    """An address, the name of the model there, and the key; the key never shows."""

    base_url: str
    model: str
    key: str = ""

    def __repr__(self) -> str:
        return f"Endpoint({self.public_url!r}, {self.model!r})"

    @property
    def public_url(self) -> str:
        """The address without anything secret."""
        return public_url(self.base_url)

    def headers(self) -> dict[str, str]:
        """Return what authenticates a call; user and password in the address go before a key."""
        is_bare = not split_credentials(self.base_url).header
        return {"Authorization": f"Bearer {self.key}"} if self.key and is_bare else {}


def find_endpoint(
    model: str,
    base_url: str,
    environment: Mapping[str, str],
    key_variable: str = "",
    *,
    needs_key: bool = True,
) -> Endpoint:
    """Return the endpoint of a model; an address given by the user wins over the provider's own."""
    provider_name, slash, name = model.partition("/")
    address = base_url or environment.get("OPENAI_BASE_URL", "")
    if address:
        _check_address(address)
        # With an address of one's own, a name with a slash is the model's own name (as on model hubs).
        name = name if provider_name == _OPENAI and slash else model
        return Endpoint(address.rstrip("/"), name, environment.get(key_variable or "OPENAI_API_KEY", ""))
    if not slash:
        provider_name, name = _OPENAI, model
    provider = PROVIDERS.get(provider_name)
    if provider is None:
        near = did_you_mean(provider_name, PROVIDERS) or f"choose from: {', '.join(PROVIDERS)}"
        raise ConfigError(
            f"the model '{model}' names an unknown provider '{provider_name}' ({near}); "
            f"give --base-url for an endpoint of your own, or write litellm/{model}"
        )
    variable = key_variable or provider.key_variable
    key = environment.get(variable, "") if variable else ""
    if variable and not key and needs_key:
        raise ConfigError(
            f"the model '{model}' needs a key: set {variable}, or give --base-url for another endpoint"
        )
    return Endpoint(provider.base_url, name, key)


def _check_address(address: str) -> None:
    parts = urlsplit(address)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ConfigError(
            f"--base-url is not an address: {public_url(address)!r} (write e.g. http://127.0.0.1:8080/v1)"
        )
