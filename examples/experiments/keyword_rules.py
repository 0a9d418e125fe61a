"""A generator of one's own: a few keywords, which any model should beat."""

FLOWS = {
    "balance": "show_balance",
    "block": "block_card",
    "address": "change_address",
    "loan": "apply_for_loan",
    "standing order": "set_up_standing_order",
    "send": "send_money",
    "pay": "send_money",
}


def predict(request):
    message = request.message.lower()
    if "cancel" in message or "forget" in message:
        return "CancelFlow()"
    for word, flow in FLOWS.items():
        if word in message:
            return f"StartFlow({flow})"
    slot = request.state.asked_slot
    return f"SetSlot({slot}, {request.message})" if slot else "ChitChat()"
