from snellen.protocols.readiness.report.abstention import applicability


def test_counts_are_those_of_the_tables(ready_lookup):
    """Once per benchmark: what was asked and what was not add up to all items, reasons by how many they concern."""
    for each in applicability(ready_lookup):
        table = ready_lookup.evidence.results.tables["organism/refuser", each.benchmark]
        told = [*each.everywhere, *(arm for line in each.arms for arm in line.arms)]
        assert sorted(told) == sorted(table.arms)
        for line in each.arms:
            counts = [items for _, items in line.reasons]
            assert counts == sorted(counts, reverse=True)
            assert line.asked + sum(counts) == each.items == len(table.items)
            for arm in line.arms:
                assert dict(line.reasons) == table.arms[arm].inapplicable
                assert len(table.arms[arm]) == line.asked


def test_reasons_are_on_the_page(ready_lookup, ready_text):
    """Every reason stands there with its number, in words."""
    part = ready_text[ready_text.index('id="readiness-inapplicable"') : ready_text.index('id="readiness-modes"')]
    for each in applicability(ready_lookup):
        for line in each.arms:
            for reason, items in line.reasons:
                escaped = reason.replace("'", "&#39;")
                assert f'<td>{escaped}</td><td class="figure">{items}</td>' in part
