"""The few forms of English verbs that the extractive drafter needs, made by rule.

Only verbs of doing are listed: a sentence that says what somebody thought, decided or saw is not
a step, so such verbs are left out on purpose.
"""

from __future__ import annotations

_VERBS = """
abort accept acknowledge activate add adjust align allow annotate append apply approve archive
ask assign attach authenticate back backfill bind block book boot bounce browse build bump
bypass call cancel cap capture change check choose clean clear click clone close collect combine
commit compare compile compress configure confirm connect continue convert copy cordon correct
count create cut deactivate debug decommission define delete deploy describe detach diff disable
discard disconnect divide double downgrade download drain drop dump edit eject enable encrypt
enforce ensure enter escalate evict exclude execute expand expire export expose extend extract
fail fence fetch file fill filter find finish fix flip flush follow force format forward freeze
gather generate get give go grant grep group halve hand hold import increase index inform
initialize inject insert inspect install invalidate invoke isolate issue join keep kill label
launch leave limit link list load locate lock log look lower make map mark mask measure merge
migrate mirror monitor mount move mute name narrow notify nudge open order override overwrite
page pass paste patch pause pin ping place point poll pop populate post preload prepare press
prevent prime print promote provision prune publish pull purge push put quarantine query quiesce
raise re-enable re-encrypt re-enqueue re-register re-run read reassign rebase rebind reboot
rebuild recalculate recompute reconcile reconnect record recreate recycle redeploy redirect redo
reduce refresh register reindex reinstall reissue reject release reload remove rename render
renew repair repeat repin replace replay reply repoint report request requeue rerun reseed
reserve reset resize resolve restart restore resubmit resume resync retire retry return revert
review revoke rewind rewrite roll rotate route run sample save scale scan schedule seal search
select send separate serve set ship shrink shut sign silence simulate skip sort split stage
start state stop store strip submit subscribe substitute subtract swap switch sync tag tail take
tell terminate test throttle tie toggle touch trace track transfer trigger trim truncate try
tune turn type unblock uncordon undo unfreeze uninstall unlock unmount unmute unpause unpin
unregister unset unsubscribe update upgrade upload use vacuum validate verify view wait warm
watch whitelist widen wipe wrap write zip
"""
VERBS = frozenset(_VERBS.split())
# Verbs that a check starts with; what they ask for is seen, not done.
CHECK_VERBS = frozenset(("check", "confirm", "ensure", "expect", "verify", "validate"))

_IRREGULAR_PAST = {
    "build": "built", "choose": "chose", "cut": "cut", "find": "found", "freeze": "froze",
    "get": "got", "give": "gave", "go": "went", "hold": "held", "keep": "kept", "leave": "left",
    "make": "made", "put": "put", "read": "read",
    "rebuild": "rebuilt", "redo": "redid", "rerun": "reran",
    "re-run": "re-ran", "reset": "reset", "rewrite": "rewrote", "rewind": "rewound", "run": "ran",
    "send": "sent", "set": "set", "shrink": "shrank", "shut": "shut", "split": "split",
    "take": "took", "tell": "told", "undo": "undid", "unset": "unset", "write": "wrote",
    "overwrite": "overwrote", "override": "overrode", "rebind": "rebound", "bind": "bound",
    "unfreeze": "unfroze",
}  # fmt: skip
_DOUBLING = """
cap commit cut debug drop flip get grep log map pin plan pop prep put re-run repin rerun reset
run scan set ship shut skip split stop strip submit swap tag trim unpin unplug unset wrap zip
"""
_DOUBLED = frozenset(_DOUBLING.split())
# Found, went, failed, stated and the like tell a story as often as they tell an action.
_NOT_DONE = frozenset(("get", "find", "go", "fail", "state", "follow", "hold", "back"))
_VOWELS = "aeiou"


def third_person(verb: str) -> str:
    """Return the third person singular: `rotate` -> `rotates`, `push` -> `pushes`."""
    if verb == "go" or verb.endswith(("s", "x", "z", "ch", "sh")):
        return verb + "es"
    if verb.endswith("y") and verb[-2] not in _VOWELS:
        return verb[:-1] + "ies"
    return verb + "s"


def _stem(verb: str) -> str:
    return verb + verb[-1] if verb in _DOUBLED else verb


def _past(verb: str) -> str:
    if verb in _IRREGULAR_PAST:
        return _IRREGULAR_PAST[verb]
    if verb.endswith("e"):
        return verb + "d"
    if verb.endswith("y") and verb[-2] not in _VOWELS:
        return verb[:-1] + "ied"
    return _stem(verb) + "ed"


def _gerund(verb: str) -> str:
    if verb == "tie":
        return "tying"
    if verb.endswith("e") and not verb.endswith("ee"):
        return verb[:-1] + "ing"
    return _stem(verb) + "ing"


PAST_TO_BASE = {_past(verb): verb for verb in sorted(VERBS - _NOT_DONE)}
GERUND_TO_BASE = {_gerund(verb): verb for verb in sorted(VERBS)}
