"""Tokens whose counts or whose order do not work out: waited for and never posted, posted and never waited for, deadlock by order."""

from accelkit.isa.units import CHANNELS
from accelkit.lint.finding import Finding, Place, Token
from accelkit.lint.schedule import Schedule
from accelkit.lint.sequencer import End, Trace


def stuck_findings(trace: Trace, made: Schedule) -> list[Finding]:
    """Findings of one case. Of a deadlock the waits without a post stand alone, for the others follow from them."""
    if made.blocked is None and trace.end is not End.HALT:
        return []
    if made.is_deadlock:
        return _never_posted(trace, made) or [_deadlock(trace, made)]
    return _left_over(trace, made)


def _posts(trace: Trace, channel: int) -> list[int]:
    return [number for number, tensor in enumerate(trace.tensors) if channel in tensor.posts]


def _never_posted(trace: Trace, made: Schedule) -> list[Finding]:
    found = []
    for number, missing in made.stuck:
        tensor = trace.tensors[number]
        for channel in missing:
            posts = _posts(trace, channel)
            taken = made.waited[channel]
            if len(posts) > taken:
                continue
            text = CHANNELS[channel].wait_text
            places: tuple[Place, ...] = ()
            how = "which nothing posts"
            if posts:
                how = f"but all {taken} posts have been taken" if taken > 1 else "but the only post has been taken"
                places = (Place(trace.tensors[posts[-1]].pc, "the last post is made here"),)
            found.append(Finding("W0905", f"'{tensor.row.mnemonic}' waits for {text}, {how}", tensor.pc, places))
    return found


def _deadlock(trace: Trace, made: Schedule) -> Finding:
    number, missing = min(made.stuck)
    tensor = trace.tensors[number]
    places = []
    token: Token | None = None
    for stuck, channels in sorted(made.stuck):
        waiting = trace.tensors[stuck]
        for channel in channels:
            text = CHANNELS[channel].wait_text
            if stuck != number:
                places.append(Place(waiting.pc, f"the {waiting.unit.name.lower()} unit waits for {text} here"))
            post = _posts(trace, channel)[made.waited[channel]]
            poster = trace.tensors[post]
            is_dispatched = made.blocked is None or post < made.blocked
            why = "behind what waits in its queue" if is_dispatched else "and the sequencer does not get there"
            places.append(Place(poster.pc, f"{text} is posted here, {why}"))
    if made.blocked is not None:
        what = "a fence waits for all units before this" if made.is_fence_blocked else "the sequencer waits here: the queue is full"
        if made.blocked < len(trace.tensors):
            places.append(Place(trace.tensors[made.blocked].pc, what))
    text = CHANNELS[missing[0]].wait_text
    return Finding("W0907", f"'{tensor.row.mnemonic}' waits for {text} for ever", tensor.pc, tuple(places), token=token)


def _left_over(trace: Trace, made: Schedule) -> list[Finding]:
    found = []
    for channel, posts in zip(CHANNELS, made.posts, strict=True):
        left = posts[made.waited[channel.number] :]
        if not left:
            continue
        tensor = trace.tensors[left[0]]
        waits = [t.pc for t in trace.tensors if channel.number in t.waits]
        places = (Place(waits[-1], "the last wait takes an earlier post"),) if waits else ()
        how = f"but of {len(posts)} posts only {len(posts) - len(left)} are waited for" if waits else "and nothing waits for it"
        found.append(Finding("W0906", f"'{tensor.row.mnemonic}' posts {channel.post_text}, {how}", tensor.pc, places))
    return found
