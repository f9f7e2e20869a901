/** Faults that nobody could see, each with the reason. One that a test kills after all has no place here. */
export const UNSEEN: ReadonlyArray<readonly [key: string, reason: string]> = [
  [
    'src/plan/sizing/basis.ts | drop spread | ...group, => ',
    'the amounts are those of what it is sized like; the group’s own name is in findings that are not taken from there',
  ],
  [
    "src/plan/sizing/earlier-groups.ts | drop filter | listOf(memberOf(expression, 'values')).filter((value) => typeof value === 'string') => listOf(memberOf(expression, 'values'))",
    'a value that is no text is the value of no label, so that it is looked up by nobody',
  ],
  [
    'src/kube/pod-requests.ts | drop spread | ...container.resources, => ',
    'only the requests are added up, and those are set anew behind it',
  ],
  [
    'src/plan/reservation/order/former.ts | drop spread | ...namedNodes([]), => ',
    'an Order that left DaemonSet mode has no objects and is not enabled, and nodes are counted only of what is',
  ],
  [
    "src/face/expect/compare-test.ts | drop filter | ['containers', 'initContainers'].flatMap((list) => listOf(memberOf(pod, list))).filter(isMap) => ['containers', 'initContainers'].flatMap((list) => listOf(memberOf(pod, list)))",
    'a template whose containers are no maps is refused before it is rendered',
  ],
  [
    "src/face/expect/compare-test.ts | drop filter | listOf(memberOf(own, 'env')) .filter(isMap) => listOf(memberOf(own, 'env'))",
    'a template whose variables are no maps is refused before it is rendered',
  ],
  ['src/face/scan/types.ts | one more | 1000n => 1001n', 'exactly 100 is written without a decimal either way'],
  ['src/face/scan/types.ts | > | >= => >', 'exactly 100 is written without a decimal either way'],
  ['src/face/scan/scan-lines.ts | and, or | && => ||', 'the smallest and the largest node are known both or neither'],
  ['src/face/scan/scan.ts | and, or | || => &&', 'the smallest and the largest node are known both or neither'],
  ['src/face/scan/scan.ts | <= | < => <=', 'no two DaemonSets of a cluster have one name'],
  ['src/face/scan/scan.ts | >= | > => >=', 'a difference of nothing is nothing'],
  ['src/plan/sizing/basis.ts | one more | 0n => 1n', 'a difference of nothing is as large below zero as above'],
  ['src/fate/compare.ts | <= | < => <=', 'no two objects of one subject have one name, or the run fails'],
  [
    'src/plan/action/judge.ts | <= | < => <=',
    'of two actions with one sequence; their ids differ, since of one id one action is kept',
  ],
]
