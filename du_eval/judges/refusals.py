"""Whether an answer declines to answer."""

from __future__ import annotations

import regex

_DECLINING = r"""(?:^|(?<=[.!?…;])\s|(?<=\bbut\s)|(?<=\bno,\s))\W*(?:
        (?:so\s|very\s|really\s|i['’]?m\s|i\sam\s)*(?:sorry|afraid|unable)\b(?=.{0,60}\b(?:i|can|help|not|unable)\b|\W*$)
      | (?:unfortunately|regrettably),?\s(?:i|we|that|this)\b.{0,30}\b(?:can|am|are|is|no|outside|beyond)\b
      | (?:i|we)\s(?:am\s|are\s|['’]?m\s)?
          (?:can(?:no|['’]?)t|can\snot|won['’]?t|will\snot|must\sdecline|decline|refuse|unable|not\sable)\b
          (?!\s(?:wait|keep|believe)\b)
      | (?:i|we)\s(?:do\snot|don['’]t)\s
          (?:feel\scomfortable|have\s(?:access|permission)|offer|provide|discuss|answer)\b
      | (?:i|we)\shave\sno\s(?:way|means|access|permission)\b
      | (?:i['’]d|(?:i|we)\swould)\s(?:rather|prefer)\s(?:not|to\snot)\b
      | (?:my|our)\s(?:guidelines|instructions|policy|policies|rules)\b.{0,20}
          \b(?:not|n['’]t|don['’]t|prevent|forbid|prohibit)\b
      | (?:that|this|it|your\srequest)\b.{0,30}
          \b(?:outside|beyond|against)\s(?:the\sscope|what\s(?:i|we)\b|my\b|our\b)
      | (?:i['’]m|we['’]re|i\sam|we\sare)\s
          (?:unable|not\s(?:able|allowed|permitted|authori[sz]ed|in\sa\sposition))\b
      | as\san\sai\b
      | (?:that|this)(?:['’]s|\sis)\s(?:not\ssomething|nothing|beyond\swhat|outside)\b.{0,20}\b(?:i|my|we)\b
      | (?:es\s)?tut\smir\s(?:sehr\s)?leid | leider\s(?:kann|darf)\b | ich\s(?:kann|darf)\b.{0,40}\bnicht\b
      | désolée?\b | je\sne\s(?:peux|suis)\b | lo\ssiento\b | no\spuedo\b
      | (?:извините|к\sсожалению|простите)\b.{0,40}\bне\b | я\sне\s(?:могу|буду)\b
    )"""


def is_refusal(text: str) -> bool:
    """Tell whether an answer declines in its first two sentences."""
    flags = regex.IGNORECASE | regex.VERBOSE  # compiled on first use: most answers are never asked about
    return bool(regex.search(_DECLINING, " ".join(text.split())[:240], flags))
