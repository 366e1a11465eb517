"""Tokens that are left at halt: who posted them, and who takes tokens of that channel at all."""

from collections import deque

from accelkit.isa.units import CHANNELS, Channel
from accelkit.simulator import descriptors
from accelkit.simulator.core import state as st
from accelkit.simulator.explain import where
from accelkit.simulator.sanitiser.detail import Detail, Part
from accelkit.simulator.sanitiser.history import retrace
from accelkit.simulator.sanitiser.scene import MOST_NAMED, Scene, part


def token_leak(scene: Scene, pc: int, cycle: int) -> Detail:
    """For each channel the latest posts, which nothing took, and who takes from it."""
    timing = scene.run.timing
    leaking = [channel for channel in CHANNELS if timing.posted[channel.number] != timing.waited[channel.number]]
    posts = {c: deque[st.Record](maxlen=int(timing.posted[c.number] - timing.waited[c.number])) for c in leaking}
    waits = {c: deque[st.Record](maxlen=1) for c in leaking}
    rows = descriptors.rows()

    def see(chunk: st.Array) -> bool:
        for channel in leaking:
            posts_it = (rows.port[chunk.op] == channel.producer) & (chunk.post >> channel.post_bit & 1 != 0)
            posts[channel].extend(chunk[posts_it].copy())
            waits_it = (rows.unit[chunk.op] == channel.consumer) & (chunk.wait >> channel.wait_bit & 1 != 0)
            waits[channel].extend(chunk[waits_it].copy())
        return False

    retrace(scene.machine, scene.again(int(timing.last_event) + 1), see)
    lines: list[str] = []
    parts = [Part("fault", pc, cycle, cycle)]
    for channel in leaking:
        lines += _lines(scene, channel, list(posts[channel]), list(waits[channel]))
        parts += [part("poster", record) for record in posts[channel]] + [part("waiter", record) for record in waits[channel]]
    return Detail(tuple(lines), tuple(parts), fix=_fix(scene, leaking[0], list(posts[leaking[0]])))


def _lines(scene: Scene, channel: Channel, posts: list[st.Record], waits: list[st.Record]) -> list[str]:
    posted, waited = (int(count[channel.number]) for count in (scene.run.timing.posted, scene.run.timing.waited))
    shown = [f"{scene.name(one)}, complete at cycle {int(one.c)}" for one in posts[-MOST_NAMED:]]
    more = f"{len(posts) - len(shown)} earlier ones; " if len(posts) > len(shown) else ""
    takers = [f"the last to wait for it is {scene.name(one)}, issued at cycle {int(one.s)}" for one in waits]
    return [
        f"{scene.program.channel_text(channel)}: {posted:,} posted, {waited:,} taken; left are those of {more}{'; '.join(shown)}",
        *(takers or [f"no {channel.consumer.name.lower()} instruction waits for {channel.wait_text}"]),
    ]


def _fix(scene: Scene, channel: Channel, posts: list[st.Record]) -> str:
    place = where(scene.program, int(posts[0].pc))
    return f"wait({channel.wait_text}) in the {channel.consumer.name.lower()} unit, or drop post({channel.post_text}) at {place}"
