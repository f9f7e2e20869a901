/** Faults that once passed every test, or could have: mostly where two policies, several packages or earlier output meet. */
export interface Named {
  readonly what: string
  readonly file: string
  /** What stands in the file exactly once, and what stands there instead. */
  readonly from: string
  readonly to: string
}

const of = (file: string, faults: ReadonlyArray<readonly [what: string, from: string, to: string]>): Named[] =>
  faults.map(([what, from, to]) => ({ what, file: `src/${file}`, from, to }))

export const NAMED: readonly Named[] = [
  ...of('plan/sizing/usage/size-by-usage.ts', [
    ['the margin is left out', 'HUNDRED * denominator + numerator', 'HUNDRED * denominator'],
    ['requests are rounded down', '(numerator + denominator - 1n) / denominator', 'numerator / denominator'],
    ['a step is not kept to', "toMultiple(whole, size, 'up')", 'whole'],
  ]),
  ...of('plan/sizing/usage/size-by-usage.ts', [
    [
      'the smaller limit counts',
      'isLarger(one.part, best.part) ? one : best',
      'isLarger(one.part, best.part) ? best : one',
    ],
    [
      'usage makes a limit where there is none',
      'if (percentage === undefined && template === undefined) return',
      'if (percentage === undefined && template === undefined && usage === undefined) return',
    ],
  ]),
  ...of('plan/sizing/usage/size-by-usage.ts', [
    ["the template's limit does not count", "isRaised || percentage === 'template' ?", "percentage === 'template' ?"],
    [
      'limits are raised though only requests are controlled',
      'const isRaised = usage?.hasLimits === true',
      'const isRaised = usage !== undefined',
    ],
    ['no request is held at its limit', 'usage?.hasLimits === false ?', 'usage === null ?'],
    ['the resources that usage leaves alone are not left alone', '&& rule.usage.resources.has(resource) ?', '?'],
  ]),
  ...of('plan/sizing/usage/amounts.ts', [
    [
      'bounds do not hold usage',
      'if (decidedBy === undefined) return { parts }',
      "if (decidedBy === undefined || resource === 'cpu') return { parts }",
    ],
    [
      'the last container does not take the rest',
      'index === given.length - 1 ? left : exact - (exact % unit)',
      'exact - (exact % unit)',
    ],
  ]),
  ...of('plan/sizing/usage/policy-usage.ts', [
    ['a settled group borrows too', 'if (isSettled) return', 'if (isSettled && known === undefined) return'],
    ['memory that follows its limit is borrowed', 'known?.follows === undefined ? used', 'known !== null ? used'],
  ]),
  ...of('plan/sizing/usage/policy-usage.ts', [
    ['rows of any policy count', "policy.slice(policy.indexOf('/') + 1) === name", "policy !== name + '!'"],
    ['former names count first', '[subject.metadata.name, ...formerNames]', '[...formerNames, subject.metadata.name]'],
  ]),
  ...of('plan/sizing/usage/group-usage.ts', [
    ['Off is sized by usage', 'const rendered = isAuto ? auto', 'const rendered = true ? auto'],
  ]),
  ...of('plan/sizing/usage/findings.ts', [
    [
      'usage that is not collected passes',
      'if (rows === undefined) return notCollected(all, subject)',
      'if (rows === undefined) return []',
    ],
    ['stale after a day', 'const STALE = 3 * DAY', 'const STALE = 30 * 86_400_000'],
    ['killed again is not told apart', 'kills.last > Math.max(...settled.raisedAt)', 'kills.last > 9e15'],
  ]),
  ...of('plan/sizing/day-one/need.ts', [
    [
      'one look is not bounded',
      'Sample: { percent: { cpu: 130, memory: 110 }, most: { cpu: 2, memory: 2 } }',
      'Sample: { percent: { cpu: 130, memory: 110 }, most: {} }',
    ],
    ['one noisy node makes a size', 'Math.min(highest, MOST_OF_MEDIAN * medianOf(sorted))', 'highest'],
  ]),
  ...of('plan/sizing/day-one/parts.ts', [
    [
      'nodes that are not measured are sized like others',
      '(podsByCell.get(cell)?.length ?? 0) * 2 < count',
      'count < 0',
    ],
    ['a larger node may get less', 'least[resource],', '0,'],
  ]),
  ...of('facts/usage/regular.ts', [
    ['the first row has no limit', '...(isFirst || 100', '...(100'],
    ['six days are enough', 'seen.days < LEAST_DAYS', 'seen.days < LEAST_DAYS - 1'],
    ['the limit of memory that follows it is raised', 'follows ? settled?.limits.memory :', 'false ? undefined :'],
    ['a size falls by any amount at once', 'Math.max(is, Math.ceil(was * LARGEST_FALL))', 'is'],
    ['a little more is settled', ' && is - was >= LEAST_UP[resource]', ''],
    ['a limit falls', '[settled.limits.memory]),\n  ]', '[]),\n  ]'],
    ['kills before a raise count again', 'Math.max(at - WEEK, lastRaise(settled))', 'at - WEEK'],
    ['a regular raise is not remembered', '...(isRaised ? [at] : [])', ''],
  ]),
  ...of('facts/usage/settle.ts', [
    [
      'the schedule fires again',
      'newestRegular(inGit.values(), now) >= fire',
      'newestRegular(inGit.values(), now) > now',
    ],
    ['evidence of an earlier time counts', 'regular !== undefined && regular.at === fire', 'regular !== undefined'],
    ['what is taken back from Git comes again', '&& regular.isInGit !== true', ''],
    ['a raise that is taken back comes again', 'at > raisedAt', 'true'],
    ['a held limit is never said', "answer.kind === 'held' && answer.until > now", 'answer.kind === null'],
  ]),
  ...of('facts/usage/settle.ts', [
    ['a lone kill raises', 'count >= 2)', 'count >= 1)'],
    ['kills of any day are an outage', 'Math.max(now - DAY, lastRaise(settled))', 'lastRaise(settled)'],
    ['a raise without end', "if (until !== undefined) return { kind: 'held', until }", ''],
    ['one pod of a large fleet is an outage', 'Math.max(LEAST_PODS, SHARE_OF_PODS * pods)', 'LEAST_PODS'],
  ]),
  ...of('facts/usage/neighbours.ts', [
    ['another row lowers a borrowed limit', "part === 'limits' ? largestOf(lenders) : ", ''],
    ['a small node borrows all of a large one', 'Math.min(amount, Math.floor(own / MOST_OF_SMALLER))', 'amount'],
  ]),
  ...of('plan/daemonset/kubescape/drift.ts', [
    ['a loop that is off hides one that is on', 'operators.find(isAutoscalerOn) ?? ', ''],
    [
      'another version has other settings, which is said too',
      'isSameVersion && agent !== undefined',
      'agent !== undefined',
    ],
    [
      'an intended difference is one of the cluster',
      'kept === undefined ? differingFromPolicy',
      'kept !== undefined ? differingFromPolicy',
    ],
  ]),
  ...of('plan/daemonset/kubescape/drift.ts', [
    ['defaults of the API server are differences', 'before !== undefined || /\\.\\d+$/.test(path)', 'true'],
    ['an entry more in the cluster is none', ' || /\\.\\d+$/.test(path)', ''],
    ['the groups of a second policy are agents beside', 'owners.includes(ownerOf(object)) &&', ''],
  ]),
  ...of('fate/agent-stops.ts', [
    ['a disabled policy is left out', " && memberOf(object.spec, 'enabled') !== false", ''],
    [
      'what a policy that is left out has rendered serves nothing',
      "object.kind === 'DaemonSet')",
      "object.kind === 'x')",
    ],
  ]),
  ...of('krm/alike-texts.ts', [
    ['an integer fills the gap of a word', '^(?!$', '^(?:|$'],
    [
      'the end of a text may be another',
      'text.length === at + last.length && text.endsWith(last)',
      'text.endsWith(last)',
    ],
  ]),
  ...of('core/object/secrets.ts', [
    ['the value of another variable is not searched', 'variable === name ? searched : undefined', 'searched'],
    ['a comment holds a credential', 'if (COMMENT.test(line)) return false', ''],
    ['a digest in Git is of credentials too', "isSecret(key, value) ? '' : value", 'value'],
  ]),
  ...of('fate/hand-over.ts', [['a deletion that was allowed stays so', "{ [ALLOW_DELETE]: 'false' }", '{}']]),
  ...of('core/request.ts', [
    [
      'a run for one cluster takes the RenderConfig of another',
      'wanted === undefined || cluster === wanted',
      'wanted !== undefined',
    ],
    [
      'without a RenderConfig a run has no cluster',
      'options: withCluster(DEFAULT_OPTIONS, cluster)',
      'options: DEFAULT_OPTIONS',
    ],
  ]),
  ...of('rules/coverage-holes.ts', [
    ['a hole is accepted for any policy', 'policies.includes(one.policy) && ', ''],
    ['a policy that renders nothing leaves no hole', 'if (objects.length === 0 && !isSuspended)', 'if (isSuspended)'],
    ['the kinds of a hole are one', 'left.kinds(MOST_KINDS)', 'left.kinds(1)'],
  ]),
  ...of('plan/sizing/retained.ts', [
    [
      'a policy that changed takes agents from nodes',
      'served === undefined || served.nodeCount > 0',
      'served === undefined',
    ],
    ['the greatest basis sizes what is new', 'one.compare(low) < 0', 'one.compare(low) > 0'],
  ]),
  ...of('plan/sizing/size-groups.ts', [
    ['what is new beside kept groups has no size', 'before?.basis ?? least', 'before?.basis'],
    ['an inventory without nodes passes the guard', ' && fleet.shapes.some(({ nodeCount }) => nodeCount > 0)', ''],
  ]),
  ...of('plan/sizing/basis.ts', [
    ['a basis without cpu', 'cpu === undefined || memory', 'memory === undefined || memory'],
    ['a basis without memory', '|| memory === undefined', '|| cpu === undefined'],
    ['a basis of no cpu', 'basis.cpu.nanoValue() > 0n &&', 'basis.cpu.nanoValue() >= 0n &&'],
    ['a basis of no memory', 'basis.memory.nanoValue() > 0n', 'basis.memory.nanoValue() >= 0n'],
  ]),
  ...of('plan/sizing/size.ts', [
    [
      'a raised limit is not what is derived from',
      'if ((amounts.get(limit) ?? 0n) < least) amounts.set(limit, least)',
      '',
    ],
    ['a raised limit is written as it was', 'printed.set(limit, wanted)', ''],
  ]),
  ...of('core/object/served.ts', [
    ['no unreachable among the state taints', "  'node.kubernetes.io/unreachable',\n", ''],
  ]),
  ...of('kube/daemon.ts', [
    [
      'unreachable is not tolerated',
      "  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },\n",
      '',
    ],
  ]),
  ...of('plan/sizing/explicit-groups.ts', [
    ['contradicted explicit groups are kept out', 'if (pairs.some((pair) => isRuledOut(pair, facts))) return []', ''],
    [
      'one label of several rules a group out only together',
      'pairs.some((pair) => isRuledOut',
      'pairs.every((pair) => isRuledOut',
    ],
    ['what facts imply is kept out, too', 'pairs.filter((pair) => !isImplied(pair, facts))', 'pairs'],
    [
      'a group that another covers is kept out twice',
      'return open.filter((pairs, index) => !open.some((other, at) => at !== index && covers(other, pairs, at < index)))',
      'return open',
    ],
  ]),
  ...of('plan/sizing/names.ts', [
    ['a group without nodes does not give way', 'inUse.length > 0 ? inUse : rivals\n', 'rivals\n'],
    [
      'the name of a group that is gone is free',
      'const known = [...earlier.values(), ...others',
      'const known = [...others',
    ],
    [
      'the label of a group that is gone is free',
      '[...[...earlier.values()].map(({ label }) => label), ...others]',
      '[...others]',
    ],
    [
      'the names of other policies are free',
      'earlier.values(), ...others.map(({ metadata }) => metadata)]',
      'earlier.values()]',
    ],
    ['the labels of other policies are free', 'map(({ label }) => label), ...others]', 'map(({ label }) => label)]'],
    [
      'the name of a new group is free for the next',
      'names.set(id, free)\n      taken.add(free)',
      'names.set(id, free)',
    ],
    [
      'an earlier name wins over the one written',
      'explicit.get(group.id) ?? earlier.get(group.id)?.name',
      'earlier.get(group.id)?.name ?? explicit.get(group.id)',
    ],
  ]),
  ...of('kube/value-set.ts', [
    ['absence is never shared', '(this.#absent && other.#absent) || (this.#others', 'false || (this.#others'],
    ['absence counts as nothing', 'if (this.#absent || this.#others) return false', 'if (this.#others) return false'],
    ['absence of no witness', 'if (this.#absent) return {}', ''],
    [
      'everything knows no absence',
      'new ValueSet(domain, domain.mayBeAbsent, true, ALL_INT64)',
      'new ValueSet(domain, false, true, ALL_INT64)',
    ],
  ]),
  ...of('core/worlds.ts', [
    ['a functionConfig without a package goes to the longest path', 'a.length - b.length ||', 'b.length - a.length ||'],
    [
      'a functionConfig without a package goes to the last of the shortest',
      '(a < b ? -1 : 1))[0]',
      '(a < b ? 1 : -1))[0]',
    ],
    ['the earlier output of one package is seen by all', 'packages.size < 2 || packageOf(item) === path', 'true'],
    ['packages come as they are found', '[...packages.keys()].sort()', '[...packages.keys()]'],
    ['policies come as they are found', '[...claimed].sort(byName)', '[...claimed]'],
  ]),
  ...of('plan/daemonset/planner.ts', [
    [
      'newcomers do not see each other’s earlier output',
      '[...rivals.flatMap(({ source }) => source.earlier), ...ofOtherRuns(one, world)]',
      '[...ofOtherRuns(one, world)]',
    ],
    [
      'known policies do not see what the others get now',
      'const taken = [...before, ...now]',
      'const taken = [...before]',
    ],
    [
      'newcomers are planned before what is known',
      '[...found.filter(isKnown), ...found.filter((other) => !isKnown(other))]',
      '[...found.filter((other) => !isKnown(other)), ...found.filter(isKnown)]',
    ],
    [
      'the output of other runs is free',
      '...rivals.flatMap(({ source }) => source.earlier), ...ofOtherRuns(one, world)]',
      '...rivals.flatMap(({ source }) => source.earlier)]',
    ],
    ['new policies give way to each other', 'indexBy(found.filter(isKnown), ', 'indexBy(found, '],
  ]),
  ...of('plan/daemonset/planner.ts', [
    ['policies on the same nodes are told apart by name', 'if (!meet(region, one.region)) return', 'return'],
    ['the last of several rivals is named', 'before.plans[Math.min(...first)]', 'before.plans[Math.max(...first)]'],
  ]),
  ...of('rules/guards.ts', [
    [
      'restarts count what only metadata changes',
      "kind === 'changed' && !isDeepEqual(templateOf(was), templateOf(after))",
      "kind === 'changed'",
    ],
    ['restarts count groups', "sum + (counts.get(after?.object.metadata.name ?? '') ?? 0)", 'sum + 1'],
    ['restarts count what is new', "kind === 'changed' && !isDeepEqual", '!isDeepEqual'],
    ['a guard that is met trips', 'restarted > guards', 'restarted >= guards'],
    ['a suspended policy loses its nodes', 'isEnabled && !isSuspended', 'isEnabled'],
    ['a renamed group is gone', '&& !groups.has(groupOf(item))', ''],
    ['who takes over is held against nothing', '(isHandedOver ? all : counted).flatMap', 'counted.flatMap'],
    ['what a policy that is gone left counts for nothing', '[...earlier, ...left]', 'earlier'],
  ]),
  ...of('fate/hand-over.ts', [
    ['owned objects are handed back', 'areOthersFree && ownerOf(subject) === undefined', 'areOthersFree'],
    [
      'what another run uses is handed back',
      '!one.isEnabled && !isUsedByOtherRun(one, planned, world)',
      '!one.isEnabled',
    ],
    [
      'what a suspended policy may need is handed back',
      'world.plansAllSubjects && !planned.some(({ isSuspended }) => isSuspended)',
      'world.plansAllSubjects',
    ],
    ['a run for one policy hands all back', 'world.plansAllSubjects && !planned.some', '!planned.some'],
  ]),
  ...of('fate/hand-over.ts', [
    [
      'a mark of our own keeps a user’s',
      "if (mark !== 'true') return { item: annotate(item, ours), released: false }",
      '',
    ],
    ['a released template keeps the mark', 'const ours = { [TEMPLATE]: null, ...', 'const ours = { ...'],
    ['a released Order stays kept back', '{ [NOT_APPLIED]: null }', '{}'],
    ['released output keeps its owner', 'ours.map((key) => [key, null])', '[]'],
    ['released output cannot be adopted', 'owner === undefined ? {} : { [RELEASED_BY]: owner }', '{}'],
  ]),
  ...of('plan/reservation/ticket/plan-tickets.ts', [
    ['many Tickets in few files', 'made.tickets.length > MANY ? 2 : 1', '1'],
    ['at the number itself there are many', 'made.tickets.length > MANY', 'made.tickets.length >= MANY'],
  ]),
  ...of('plan/reservation/ticket/ticket.ts', [
    ['the window is open at its end', '* 1_000_000n < end', '* 1_000_000n <= end'],
  ]),
  ...of('plan/reservation/ticket/ticket.ts', [
    [
      'what is claimed when the schedule fires was claimed before',
      'claimedAt.getTime() < fire.getTime()',
      'claimedAt.getTime() <= fire.getTime()',
    ],
    ['what was renewed before the fire stays', 'isLater && renewed > (fire?.getTime() ?? 0)', 'isLater'],
    ['a renewal that is still to come stays', 'isLater && renewed >', 'renewed !== undefined && renewed >'],
  ]),
  ...of('plan/reservation/ticket/end.ts', [
    ['what ends now goes on', 'end.getTime() <= now.getTime()', 'end.getTime() < now.getTime()'],
    [
      'what was claimed ends when it expires',
      "phase === 'Claimed' && computed !== undefined ?",
      'computed === undefined ?',
    ],
  ]),
  ...of('plan/reservation/ticket/plan-tickets.ts', [
    [
      'a Ticket of another spec keeps its generation',
      'before?.hash === prototype.hash ? before.generation : undefined',
      'before?.generation',
    ],
    ['a node that was created again is held back', '!isOfNode ?', 'before === undefined ?'],
    ['all Tickets are renewed at each end before a fire time', '&& !isRefreshedByTime(order)))', '))'],
    ['a renewal before the end has another name', 'return made(stamp(end))', 'return made(generation)'],
  ]),
  ...of('plan/reservation/check/living.ts', [
    ['a claim is long from its beginning', 'claimedAt.getTime() >= half', 'claimedAt.getTime() >= 0'],
    ['Tickets of another namespace are foreign', 'one.namespace === order.namespace) &&', 'true) &&'],
  ]),
  ...of('plan/reservation/ticket/pace.ts', [
    ['a new node does not count', "turn === 'first' || (begun !== undefined", '(begun !== undefined'],
    ['what has ended waits its turn', 'hasEnded(one) ? 0 :', ''],
    ['renewal starts at the end', '?? Number.POSITIVE_INFINITY) - every', '?? Number.POSITIVE_INFINITY)'],
    ['all Tickets are renewed in one interval', 'latest[index + most] ??', 'latest[ending.length] ??'],
    ['one more than may', 'counted.size >= most', 'counted.size > most'],
    ['the next run sees no new Ticket', "turn === 'first' || admitted.has(node)", 'false'],
  ]),
  ...of('plan/reservation/ticket/end.ts', [
    ['a claimed Ticket is renewed before its end', 'if (isInUse(ticket)) return undefined', ''],
  ]),
  ...of('plan/reservation/ticket/plan-tickets.ts', [
    ['what is kept may not stay', '&& mayStay(name, shape, order.pod)', ''],
  ]),
  ...of('plan/reservation/ticket/earlier-tickets.ts', [
    [
      'Tickets of other namespaces live here',
      'one.order === undefined || one.order === order : one.namespace === namespace',
      'one.order === undefined || one.order === order : true',
    ],
    ['Tickets of other Orders live here', 'one.order === undefined || one.order === order :', 'true :'],
    ['of several the one that ends first counts', 'lifeOf(one) > lifeOf(best)', 'lifeOf(one) < lifeOf(best)'],
  ]),
  ...of('plan/reservation/check/capacity.ts', [
    ['one reservation overlaps', 'isSeveral: entries.length > 1', 'isSeveral: true'],
    ['what a node does not report is no capacity', "if (given === undefined && !name.includes('/')) return []", ''],
    ['an Order’s Tickets of other resources reserve as much', 'numberOf(resourcesOf(object))', '0'],
    ['all that is allocatable is too much', 'amount.compare(available) > 0', 'amount.compare(available) >= 0'],
  ]),
  ...of('plan/daemonset/containers.ts', [
    ['shares need not add up', 'Math.abs(sum - 100) > 1e-9', 'Math.abs(sum - 100) > 1'],
    ['shares add up to the last bit', 'Math.abs(sum - 100) > 1e-9', 'sum !== 100'],
  ]),
  ...of('kinds/rule.ts', [
    [
      'an earlier rule wins over a later',
      'Object.assign(merged.resourcePercentages, Object.fromEntries(percentages))',
      'merged.resourcePercentages = { ...Object.fromEntries(percentages), ...merged.resourcePercentages }',
    ],
    [
      'minima replace each other whole',
      'Object.assign(merged.minResources, text.minResources)',
      'merged.minResources = { ...text.minResources }',
    ],
  ]),
  ...of('kinds/sizing-settings.ts', [
    [
      'overrides lose against a group’s own rule',
      '[settings.ruleText, groupRule, ...overrides]',
      '[settings.ruleText, ...overrides, groupRule]',
    ],
    [
      'a group has no rule of its own',
      '[settings.ruleText, groupRule, ...overrides]',
      '[settings.ruleText, ...overrides]',
    ],
  ]),
  ...of('fate/pod-changes.ts', [
    ['the totals are of all clusters', 'clusterShapes(fleets, planned.cluster)', 'clusterShapes(fleets, undefined)'],
    [
      'a node that is cordoned has no agent',
      'memberNodes(podSpecOf(object), shape)',
      'servedNodes(podSpecOf(object), shape)',
    ],
    [
      'where earlier output ran is known without its labels',
      'fleets.some((fleet) => !fleet.knows(key))',
      'fleets.length === 0',
    ],
  ]),
  ...of('fate/agent-stops.ts', [
    ['restarts are of all clusters', 'clusterShapes(fleets, cluster)', 'clusterShapes(fleets, undefined)'],
    ['a template that stays is gone', 'const stays = isApplied || (', 'const stays = isApplied && ('],
    ['policies of one template are apart', 'item ?? subject))', 'subject))'],
  ]),
  ...of('fate/agent-lots.ts', [
    ['a snapshot shows no agents', 'isShown(one) !== false', 'true'],
    ['a node that is not ready starts pods', "shape.ready === undefined || shape.ready === 'True'", 'true'],
  ]),
  ...of('fate/change-findings.ts', [
    [
      'objects for one node are said one by one',
      'planned.changes.filter((change) => groupOf(change) !== undefined)',
      'planned.changes',
    ],
  ]),
  ...of('fate/change-findings.ts', [
    ['labels are lost where nothing is rendered', 'now.keys.size > 0 && lost.length > 0', 'lost.length > 0'],
  ]),
  ...of('face/table.ts', [
    ['twenty groups are many', '> FEW', '>= FEW'],
    ['a title as it was written', "text: printable(title), role: 'heading'", "text: title, role: 'heading'"],
    ['pods of removed groups', 'if (isRemoved) return { after: was }', ''],
  ]),
  ...of('face/report.ts', [['packages are not named', "path === ''", "path !== '.'"]]),
  ...of('face/render.ts', [
    ['summaries among the rest', 'return isLong ? ORDER.warning + 0.5 : 1', 'return ORDER[finding.severity]'],
    ['many summaries before the warnings', 'isLong ? ORDER.warning + 0.5 : 1', '1'],
  ]),
  ...of('face/columns.ts', [
    ['a line widens its column', 'isLine ? 0 : displayWidth(text)', 'displayWidth(text)'],
    [
      'a heading does not widen its column',
      '[heading, ...cells].map(({ text, isLine })',
      'cells.map(({ text, isLine })',
    ],
  ]),
  ...of('plan/action/verify.ts', [
    [
      'fields are looked at before the signature',
      "if (findings.some(({ severity }) => severity === 'error')) return { verdict: 'refused', findings }\n  const wrong",
      'const wrong',
    ],
    ['an action of any cluster', 'if (cluster !== verifier.cluster) {', "if (cluster === '') {"],
    ['an action ends after its last moment', 'expiresAt <= last', 'expiresAt < last'],
    ['an action begins after its first moment', 'start > first', 'start >= first'],
    ['a retired key begins', ' ?? retiredKey(action, verifier)', ''],
    ['one signature counts for two', 'signatures.length < needed && needed > 1', 'false'],
    ['an action of later ends something', 'startOf(action, verifier.skew) <= last', 'true'],
    ['a key ends before its last moment', 'issuedAt > notAfter', 'issuedAt >= notAfter'],
    ['a key begins after its first moment', 'issuedAt < notBefore', 'issuedAt <= notBefore'],
    ['the longest lifetime is too long', 'lifetime > verifier.maxLifetime', 'lifetime >= verifier.maxLifetime'],
    ['an action may end as it begins', 'lifetime <= 0', 'lifetime < 0'],
    ['a clock that is ahead is refused', 'issuedAt.getTime() - skew', 'issuedAt.getTime()'],
    ['spare bits of a signature do not count', " && bytes.toString('base64url') === value", ''],
    ['a key signs every type', 'types !== undefined && !types.includes(type)', 'false'],
  ]),
  ...of('plan/action/keys.ts', [
    [
      'signatures are compared by their beginning',
      'signature.length === expected.length && timingSafeEqual(signature, expected)',
      'expected.toString("hex").startsWith(Buffer.from(signature).toString("hex").slice(0, 8))',
    ],
    ['a secret may be short', 'bytes.length < KEY_BYTES', 'bytes.length < 16'],
  ]),
  ...of('plan/action/signed-bytes.ts', [
    ['a digest is cut to fewer digits', 'const DIGITS = 10', 'const DIGITS = 8'],
    ['the key is not signed', 'canonicalJson({ alg, keyId })', "canonicalJson({ alg, keyId: '' })"],
  ]),
  ...of('plan/action/judge.ts', [['what expires now is read', 'expiry <= last', 'expiry < last']]),
  ...of('plan/action/read-action.ts', [['anchors give a signed text several readings', '!usesAnchors(item)', 'true']]),
  ...of('plan/action/parameters.ts', [
    ['an action that ran before is superseded by itself', 'sequence >= (sequences', 'sequence > (sequences'],
    ['an uncordon ends no drain', "more: [at('drain')] }", 'more: [] }'],
    ['a drain that waits lifts the cordon of its node', 'waiting.has(action) ? main :', ''],
  ]),
  ...of('plan/action/leases.ts', [
    ['what a policy with a namespace held is never given back', 'fieldOwners(subject.object)', '[subject.object.kind]'],
    [
      'a held node has no uid',
      'return [...nodeShares(targetOf(name), uid), ...own',
      "return [...nodeShares(targetOf(name), ''), ...own",
    ],
  ]),
  ...of('plan/action/leases.ts', [
    ['a document goes with its action', 'if (uid === undefined) return []', 'return []'],
    ['what ends something goes before anybody has seen it', 'Date.parse(since) + SETTLE', 'Date.parse(since)'],
    ['a node is given back without proof', 'if (actions.length > 0) return', 'if (actions.length >= 0) return'],
    ['a snapshot that is too early frees a node', ' && isSettled(since, marks?.at)', ''],
    ['a node without annotations is never free', 'undefined : NO_MARKS)', 'undefined : undefined)'],
    ['a node that shows the mark is free', ' && !Object.hasOwn(seen, ACTIONS)', ''],
    ['where earlier output is hidden no node is given back', '!isShownHeld(name, seen, holds.get(name))', 'true'],
    ['a drain that succeeded holds its node for ever', ' || held === true)\n', ')\n'],
    ['an old mark counts more than a new outcome', '>= (outcomes.at?.getTime() ?? 0)', '>= 0'],
    ['the node of another package is given back', ' || elsewhere.has(name)', ''],
    ['without actions no snapshot is read', 'listOf(outcomes).length > 0 ||', ''],
  ]),
  ...of('plan/action/ends.ts', [
    ['a taint has no end', 'made.set(kept.object.metadata.name, kept)', ''],
    ['the taint of another action ends', 'if (isWanted || !targets', 'if (!targets'],
    ['the proof of another taint is enough', 'proved?.node === node && proved.taint === taint', 'true'],
    ['two Jobs take one taint away', ' || taken.has(`${node} ${taint}`)', ''],
    ['a taint ends again and again', "outcome?.state === 'Ended' && outcome.held !== true", 'false'],
    ['a Job that ends a taint goes while it runs', ' && outcome.held !== true', ''],
    ['a Job that can end nothing stays for ever', 'isUseless || (isGone', '(isGone'],
    ['without outcomes a Job that ends a taint stays for ever', ' || (isGone && isSettled(ended, observedAt))', ''],
    ['a Job that ends a taint goes before it has run', 'isGone && isSettled(ended, observedAt)', 'isGone'],
    ['what ends a taint goes while the node has it', '(isGone && isSettled', '(isSettled'],
    ['a taint that somebody set later ends', '.filter(hasTainted)', ''],
    ['a taint is forgotten for want of an image', 'made.size > 0 && settings.job.image === undefined', 'false'],
  ]),
  ...of('plan/action/proof.ts', [
    ['what ends is not verified', 'formFindings(action).length === 0 && verifiesEnds(action, verifier)', 'true'],
    ['what is refused gives a node back', 'mayHold(action) && verifies(action)', 'verifies(action)'],
  ]),
  ...of('plan/action/memory.ts', [
    ['the record of one act is lost', '...specs.flatMap((spec) => Object.entries(spec.done ?? {})),', ''],
    ['outcomes remember no sequence', 'raise(field, sequence)\n      keep(field, text)', 'keep(field, text)'],
    [
      'an act that was taken away runs again',
      "const FINISHED = ['Succeeded', 'Ended']",
      "const FINISHED = ['Succeeded']",
    ],
    ['what may still matter is forgotten', '(times.get(key) ?? now) > now', 'false'],
    ['time may go back', 'expiredUntil: latest([expiredUntil, ...gone])', 'expiredUntil'],
  ]),
  ...of('plan/action/acts.ts', [
    ['one drain more than may', '.slice(maxConcurrent)', '.slice(maxConcurrent + 1)'],
    ['a drain that has begun waits', 'open.filter(isGoing), ...', ''],
    ['a Job that goes may run again', 'going.has(digestOf(name)) || isEnd', 'true || isEnd'],
    ['a drain goes with its taint', 'going.has(digestOf(name))', 'rendered.has(name)'],
  ]),
  ...of('plan/action/kept-jobs.ts', [
    ['a Job is rendered anew', 'if (earlier === undefined) return', 'if (earlier !== undefined) return'],
    ['a Job in the place of another is believed', 'if (difference === undefined) return kept', 'return kept'],
    ['a Job that is kept gets no proof', 'if (WORDS.every((key) => annotations[key] === own[key])) return', 'return'],
    ['a Job of another namespace is believed', 'is.metadata.namespace !== wanted.metadata.namespace', 'false'],
    ['any image is kept', 'PINNED.test(image) && (trust === undefined || isTrustedImage(image, trust))', 'true'],
    ['any argument is kept', 'more.every((one) => rest.has(one))', 'true'],
    ['affinity of every kind is passed over', "key !== 'nodeAffinity'", 'false'],
  ]),
  ...of('plan/action/trust.ts', [
    ['a policy goes beyond the trust', 'if (!isBeyond) return []', 'return []'],
    ['a longer lifetime is within', 'settings.maxLifetime > trust.maxLifetime', 'false'],
    ['the control plane is within', 'settings.allowControlPlane && !trust.allowControlPlane', 'false'],
    ['every image is trusted', 'images === undefined || images.some', 'true || images?.some'],
    ['a trust is for every cluster', 'trust.cluster !== undefined && trust.cluster !== cluster', 'false'],
    ['a package sets back the time', 'options.now >= observedAt', 'true'],
  ]),
  ...of('plan/action/acts.ts', [
    [
      'a drain that failed holds the queue',
      "!isDone(memory, action) && outcomeOf(memory, action)?.state !== 'Failed'",
      '!isDone(memory, action)',
    ],
    ['a drain that has just enough time is cut short', 'left >= seconds', 'left > seconds'],
    ['a drain that begins late is not seen', 'isKnown && !hasBegun', 'false && !hasBegun'],
    ['a drain that has begun seems to begin late', ' && !hasBegun(action, memory, jobs)', ''],
  ]),
  ...of('plan/action/rows.ts', [
    ['a node that is kept uncordoned is held', "'node', 'kept uncordoned'", "'node', 'held'"],
  ]),
  ...of('plan/action/jobs.ts', [
    ['a Job runs on the node it is about', "operator: 'NotIn'", "operator: 'In'"],
    ['a Job has no deadline', 'activeDeadlineSeconds: act.seconds + GRACE_SECONDS,', ''],
    ['an eviction is of any pod of the name', '`--uid=${uid}`,', ''],
    ['the image of nodefit starts its function', "act.isOurs === true ? { command: ['nodefit'] } : {}", '{}'],
  ]),
  ...of('plan/action/targets.ts', [
    ['a label that nobody exported is nobody’s', '.filter((key) => !targets.knows(key))', '.filter(() => false)'],
    ['an autoscaler without a namespace owns nothing', ' ?? scaled.get(target.name)', ''],
    ['a node changes its pool', 'targets.poolKeys.has(key)', 'false'],
  ]),
  ...of('host/sync/collect/action-outcomes.ts', [
    ['a taint that is being taken away is gone', " || end?.state === 'active'", ''],
    ['a drain that succeeded holds nothing', "{ ...told, held: held && told.state !== 'Applied' }", 'told'],
  ]),
  ...of('plan/action/keyring.ts', [
    [
      'a keyring of the package is added to that of the run',
      'keyring ?? read[0]?.value ?? {}',
      '{ ...read[0]?.value, ...keyring }',
    ],
    ['a keyring of a package may hold secrets', "alg !== 'Ed25519' || (secretFile", '(secretFile'],
  ]),
  ...of('plan/action/keyring.ts', [
    ['a secret in other writing is not found', "bytes.toString('hex'), key]", 'key]'],
    ['a secret within an encoded file is found in one place of three', '[0, 1, 2].map', '[0].map'],
    ['a secret over several lines is not found', "text.replaceAll(/\\\\n|\\s+/g, '')", "''"],
    ['a private key is no secret', '?? privateKeyIn(item, publics)', ''],
  ]),
  ...of('plan/action/packages.ts', [
    ['a node that a pool marks in the same run is free', 'if (acting.length === 0) return []', 'return []'],
    ['an action without effect is in the way of a pool', "(state === 'in effect' || state === 'done')", 'true'],
  ]),
  ...of('plan/action/edits.ts', [
    ['an edit is made again', 'if (isDone(memory, action)) return', 'if (action.id === "") return'],
    ['an edit is made in any document of the name', 'if (others.length > 0) {', 'if (others.length > 9) {'],
  ]),
]
