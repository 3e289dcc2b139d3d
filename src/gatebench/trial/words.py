"""A trial's score in one line, for logs and lines that scroll."""

from gatebench.model.score import Score


def in_a_line(score: Score) -> str:
    """What a trial came to, unknown shown as '?'."""
    known = None not in {score.hidden_pass, score.hidden_fail}
    parts = [
        score.status,
        f"hidden {score.hidden_pass}/{_whole(score)}" if known else "hidden ?",
    ]
    if score.blocks_total is not None:
        parts.append(_blocks(score))
    if score.credential_exposed:
        parts.append("LOGIN EXPOSED")
    if score.tampered:
        parts.append("TAMPERED")
    parts.append("wall ?" if score.wall_s is None else f"wall {score.wall_s:.1f}s")
    parts.append("cost ?" if score.cost_total_usd is None else f"cost ${score.cost_total_usd:.4f}")
    return ", ".join(parts) + (f" ({score.why})" if score.why else "")


def _whole(score: Score) -> int:
    return (score.hidden_pass or 0) + (score.hidden_fail or 0) + (score.hidden_unscorable or 0)


def _blocks(score: Score) -> str:
    kinds = [
        f"{count} {name}"
        for name, count in (
            ("right", score.right_blocks),
            ("false", score.false_blocks),
            ("regression", score.regression_blocks),
        )
        if count
    ]
    said = f"{score.blocks_total} blocks" + (f" ({', '.join(kinds)})" if kinds else "")
    return said + (", gave up" if score.give_up else "")
