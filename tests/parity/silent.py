"""A generator that understands nothing."""


def nothing(request):
    return ""
