/* The page of a suite: a row for each test, and what has failed. */

const WORDS = { passed: 'passed', failed: 'failed', 'no-threads': 'one thread', skipped: 'skipped', 'fails-bare': 'fails without gatectl',
	'not-run': 'not searched', 'no-result': 'no schedule ended', error: 'error of gatectl', unfinished: 'unfinished' };

function suiteCount(verdict) {
	return data.tests.filter(t => t.verdict === verdict).length;
}

function suiteWhere(t) {
	return [t.verdict === 'failed' ? t.where : null, t.reason].filter(Boolean).join('; ');
}

function suiteRow(t) {
	const number = n => t.schedules ? grouped(n) : null;
	return row([t.links.length ? element('a', { href: t.links[0] }, t.test) : t.test, number(t.threads), number(t.schedules), WORDS[t.verdict],
		t.verdict === 'failed' ? t.kind : null, t.verdict === 'failed' && t.time_related ? 'yes' : null, suiteWhere(t)], t.verdict === 'failed');
}

function suiteFailure(t) {
	return failure(`${t.test}: ${t.where}`, t.time_related ? element('p', {}, 'time-related: a thread has to pause') : null,
		links(t), t.text ? element('pre', {}, t.text) : null);
}

/* Failures that need no pause of a thread come first. */
function suitePage() {
	const failed = data.tests.filter(t => t.verdict === 'failed').sort((a, b) => a.time_related - b.time_related), n = failed.length;
	const facts = { Tests: data.tests.length, Failed: n };
	for (const verdict of Object.keys(WORDS).filter(v => v !== 'failed' && suiteCount(v)))
		facts[WORDS[verdict]] = suiteCount(verdict);
	return [header(n ? `${failed[0].test}: ${failed[0].where}` + (n > 1 ? `, and ${grouped(n - 1)} more` : '') : 'nothing failed',
		[data.program + (data.shards > 1 ? `, part ${data.shard} of ${data.shards}` : '')], { ...facts, Time: seconds(data.seconds) }),
	figure('Tests', wide('Tests', table(['test', 'threads', 'schedules', 'verdict', 'kind', 'time-related', 'what'], data.tests.map(suiteRow)))),
	...failed.map(suiteFailure)];
}
