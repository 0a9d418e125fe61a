"""Generators, a bot and agents that answer by rule."""

COMMANDS = {
    "please add a friend": "StartFlow(add_contact)",
    "@ada": "SetSlot(handle, @ada)",
    "her name is Ada": "SetSlot(name, Ada)",
    "add a friend | or not": "StartFlow(add_contact)",
    "stop that": "CancelFlow()",
    "send 50 to Ann": "StartFlow(send_money)\nSetSlot(recipient, Ann)\nSetSlot(amount, 50)",
    "send money": "StartFlow(send_money)",
    "to Bob": "SetSlot(recipient, Bob)",
    "ten": "SetSlot(amount, 10)",
    "hello": "ChitChat()",
}


def understand(request):
    """Return the commands of a known message; anything else is small talk, and a crash is a crash."""
    if "crash" in request.message:
        raise RuntimeError("no answer in 5 s")
    return COMMANDS.get(request.message, "ChitChat()")


def waver(request):
    """Answer the greeting rightly in every second sample."""
    if request.message == "hello" and request.place.sample % 2:
        return "CancelFlow()"
    return understand(request)


class Bot:
    """Remembers the last boat it heard of, and falls silent when it is asked about the sea."""

    def get_response(self, conv_array):
        asked = conv_array[-1]
        if "sea" in asked.lower() and asked.endswith("?"):
            return "No, you do not."
        boats = [word.strip(".") for text in conv_array for word in text.split() if word.strip(".") in BOATS]
        if asked.endswith("?"):
            return f"It is a {boats[-1]}." if boats else "I do not know."
        return "I see. Tell me more about it, please."


class WorseBot:
    """Knows nothing."""

    def get_response(self, conv_array):
        return "I do not know."


BOATS = ("canoe", "dinghy", "raft", "kayak", "barge")


def clerk(text):
    """Know the opening hours."""
    if "crash" in text:
        raise RuntimeError("the clerk is out")
    return {"text": "We are open from 9 to 18.", "tools": [{"name": "calendar", "params": {"day": "today"}}]}


class Moody:
    """Answer wrongly each third time."""

    def __init__(self):
        self.count = 0

    def __call__(self, text):
        self.count += 1
        return "Go away." if self.count % 3 == 0 else "We are open from 9 to 18."


moody = Moody()
