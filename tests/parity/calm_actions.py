"""Custom actions for the shared banking assistant, written from what its flows expect of them.

Contacts, account, portfolios and transactions come from its data files, below DU_EVAL_PARITY_DATA.
"""

import json
import os
import re
from datetime import date
from pathlib import Path

TODAY = date(2026, 1, 1)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def _data(name):
    folder = Path(os.environ["DU_EVAL_PARITY_DATA"]) / "calm" / "rasa-calm-demo" / "db"
    return json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))


def check_transfer_funds(slots):
    amount = float(slots["transfer_money_amount_of_money"])
    return {"transfer_money_has_sufficient_funds": amount <= _data("my_account")["funds"]}


def execute_transfer(slots):
    recipient = slots.get("transfer_money_recipient")
    given = recipient and slots.get("transfer_money_amount_of_money")
    return {"transfer_money_transfer_successful": bool(given) and recipient != "Jack"}


def check_balance(slots):
    return {"current_balance": _data("my_account")["funds"]}


def list_contacts(slots):
    lines = [f"- {contact['name']} ({contact['handle']})" for contact in _data("contacts")]
    return {"contacts_list": "\n".join(lines) or None}


def add_contact(slots):
    name, handle = slots.get("add_contact_name"), slots.get("add_contact_handle")
    if not name or not handle:
        return {"return_value": "data_not_present"}
    known = {contact["handle"] for contact in _data("contacts")}
    return {"return_value": "already_exists" if handle in known else "success"}


def remove_contact(slots):
    handle = slots.get("remove_contact_handle")
    if not handle:
        return {"return_value": "missing_handle"}
    found = next((contact for contact in _data("contacts") if contact["handle"] == handle), None)
    if found is None:
        return {"return_value": "not_found"}
    return {"return_value": "success", "remove_contact_name": found["name"]}


def action_ask_remove_contact_handle(dispatcher):
    dispatcher.utter_message("What's the handle of the user you want to remove?")


def transaction_search(slots):
    return {"transactions_list": json.dumps(_data("transactions"))}


def action_authenticate_user(slots):
    attempts = slots.get("login_failed_attempts") or 0
    if slots.get("user_name") and slots.get("user_password"):
        return {"is_user_logged_in": True, "login_failed_attempts": 0}
    return {"is_user_logged_in": False, "login_failed_attempts": attempts + 1}


def action_check_portfolio_exists(slots):
    kinds = {portfolio["type"] for portfolio in _data("portfolio_options")}
    return {"portfolio_exists": slots.get("portfolio_type") in kinds}


def action_show_portfolio(slots):
    options = {portfolio["type"]: portfolio["options"] for portfolio in _data("portfolio_options")}
    return {"portfolio_options": options.get(slots.get("portfolio_type"), [])}


def action_execute_recurrent_payment(slots):
    return {"setup_recurrent_payment_successful": True}


def validate_recurrent_payment_start_date(dispatcher, slots):
    return _validated("recurrent_payment_start_date", dispatcher, slots)


def validate_recurrent_payment_end_date(dispatcher, slots):
    return _validated("recurrent_payment_end_date", dispatcher, slots)


def _validated(slot, dispatcher, slots):
    value = slots.get(slot)
    if value is None:
        return {}
    day = _date_of(str(value))
    if day is None or day < TODAY:
        dispatcher.utter_message(response="utter_invalid_date")
        return {slot: None}
    return {slot: day.isoformat()}


def _date_of(text):
    iso = re.match(r"(\d{4})-(\d{2})-(\d{2})", text)
    if iso:
        return date(*map(int, iso.groups()))
    slashed = re.fullmatch(r"(\d{1,2})/(\d{1,2})/(\d{2,4})", text)
    if slashed:
        month, day, year = map(int, slashed.groups())
        return date(year if year > 99 else 2000 + year, month, day)
    written = re.fullmatch(r"([A-Za-z]{3})[a-z]* (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})", text)
    if written and written[1].lower() in _MONTHS:
        return date(int(written[3]), _MONTHS.index(written[1].lower()) + 1, int(written[2]))
    return None


def action_ask_confirmation_order(dispatcher):
    dispatcher.utter_message(
        response="utter_confirm",
        buttons=[
            {"title": "Yes", "payload": "/SetSlots(confirmation_order=True)"},
            {"title": "No", "payload": "/SetSlots(confirmation_order=False)"},
        ],
    )


def action_ask_correct_order(dispatcher):
    dispatcher.utter_message("I'm sorry about that. Let's correct your order. What would you like to change?")
    return {"correct_order": True, "confirmation_order": None}


def action_correct_address(dispatcher):
    dispatcher.utter_message(
        "I'm sorry about that. Let's correct your address. Please confirm your new address?"
    )
    return {"address": None, "confirmation_order": None}


def action_check_points(dispatcher):
    dispatcher.utter_message(
        "You have 150 points in your membership account. That's enough to get a free pizza!"
    )
    return {"membership_points": 150}


def action_show_vacancies(dispatcher):
    dispatcher.utter_message("These are the vacancies.")


def action_increase_clarification_count(slots):
    return {"clarification_count": (slots.get("clarification_count") or 0) + 1}
