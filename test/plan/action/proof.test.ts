/** What ends is verified again: the signed action travels with what it renders, and nothing else gives a node back. */
import * as assert from 'uvu/assert'
import type { Trust } from '../../../src/core/index.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { addSignature } from '../../../src/plan/action/sign.ts'
import type { Plan } from '../../../src/rules/plan.ts'
import { actionPolicy, after, codes, errors, nodeOf, nodesAt, planned, rendered } from '../../support/action-package.ts'
import { digestOfAction, proofOf, SIGNERS, signedAction, T, trustOf } from '../../support/actions.ts'
import { suite } from '../../support/suite.ts'

const PROOF = 'nodefit.dev/signed-action'
const ENDED = '2026-01-15T11:00:00Z'
const TAINT = { key: 'dedicated', value: 'x', effect: 'NoSchedule' }
const taint = signedAction({ id: 't-1', type: 'taintNode', parameters: TAINT })
const cordon = signedAction({ id: 'c-1', type: 'cordonNode' })
const LATER = { issuedAt: '2026-01-15T10:55:00Z', expiresAt: '2026-01-15T12:00:00Z' }

const under = (objects: readonly KubernetesObject[], time = T, trust: Partial<Trust> = {}) =>
  planned(objects, { keyring: undefined, trust: trustOf(trust), clock: new Date(time) })
/** The nodes at a time, the first with taints. */
const tainted = (time: string, taints: readonly object[] = [TAINT]) => {
  const nodes = nodesAt(time)
  const { shapes, ...spec } = nodes.spec as { shapes: object[] }
  return { ...nodes, spec: { ...spec, shapes: shapes.map((one, at) => (at === 0 ? { ...one, taints } : one)) } }
}
/** What a run leaves to the next, without its inputs. */
const output = (made: Plan, change?: (object: KubernetesObject) => KubernetesObject) =>
  after(made, (object) =>
    ['Job', 'Node', 'ActionRecord', 'ActionPolicy'].includes(object.kind) ? (change?.(object) ?? object) : undefined,
  )
const bare = (object: KubernetesObject): KubernetesObject => {
  const { [PROOF]: _, ...annotations } = object.metadata.annotations ?? {}
  return { ...object, metadata: { ...object.metadata, annotations } }
}
const having = (proof: string) => (object: KubernetesObject) => {
  const annotations = { ...object.metadata.annotations, [PROOF]: proof }
  return { ...object, metadata: { ...object.metadata, annotations } }
}
const names = (made: Plan) => rendered(made, 'Job').map(({ metadata }) => metadata.name)
const said = (made: Plan) => made.findings.filter(({ code }) => code === 'EndUnproved').map(({ sentence }) => sentence)
const END = `untaintnode-small-000002-${digestOfAction(taint)}`

suite('what ends is proved by the signed action', (test) => {
  const first = under([taint, cordon])
  test('which is on the Job and on the partial Node', () => {
    assert.is(rendered(first, 'Job')[0]?.metadata.annotations?.[PROOF], proofOf(taint))
    assert.is(nodeOf(first)?.metadata.annotations?.[PROOF], `[${proofOf(cordon)}]`)
  })
  test('wherever its file is by then, over any number of runs', () => {
    let made = under([tainted(ENDED), ...output(first)], ENDED)
    for (let run = 0; run < 3; run++) {
      assert.equal(errors(made), [])
      assert.equal(names(made), [END])
      assert.is(nodeOf(made)?.spec, undefined)
      assert.is(nodeOf(made)?.metadata.annotations?.[PROOF], `[${proofOf(cordon)}]`)
      assert.equal(said(made), [])
      made = under([tainted(ENDED), ...output(made)], ENDED)
    }
  })
  const MADE_UP: Record<string, (object: KubernetesObject) => KubernetesObject> = {
    'without the action': bare,
    'with what is no JSON': having('{'),
    'with JSON that is nested too deeply': having('['.repeat(100_000)),
    'with an action that nobody signed': having(JSON.stringify([{ spec: taint.spec }, { spec: cordon.spec }])),
    'with an action that was changed': having(
      `[${proofOf(taint).replace('"sequence":1', '"sequence":2')},${proofOf(cordon).replace('"sequence":1', '"sequence":2')}]`,
    ),
    'with one for another node': having(
      proofOf(signedAction({ id: 'c-1', type: 'cordonNode', target: { kind: 'Node', name: 'small-000003' } })),
    ),
    'with one of another cluster': having(
      proofOf(signedAction({ id: 'c-1', type: 'cordonNode', cluster: 'prod-us1' })),
    ),
    'with one that is not valid yet': having(
      proofOf(
        signedAction({ id: 'c-1', type: 'cordonNode', issuedAt: ENDED, expiresAt: '2026-01-15T12:00:00Z' }, 'e1'),
      ),
    ),
  }
  for (const [name, change] of Object.entries(MADE_UP))
    test(`a Job and a Node end nothing ${name}, and that is named`, () => {
      const early = name === 'with one that is not valid yet' ? '2026-01-15T10:30:00Z' : ENDED
      const made = under([tainted(early), ...output(first, change)], early)
      assert.equal(errors(made), [])
      assert.equal(names(made), [])
      assert.is(nodeOf(made), undefined)
      const [one, two] = said(made)
      assert.match(`${one}\n${two}`, 'the taint dedicated:NoSchedule of Node small-000002 is said to be of action t-1')
      assert.match(`${one}\n${two}`, 'Node small-000002 is said to be held by actions, and is not given back')
    })
  test('a made-up Job of another name or action ends nothing', () => {
    const made = under(
      [
        tainted(ENDED),
        ...output(first, (object) => {
          if (object.kind !== 'Job') return object
          const name = object.metadata.name.replace(/.{10}$/, '0123456789')
          return { ...object, metadata: { ...object.metadata, name } }
        }),
      ],
      ENDED,
    )
    assert.equal(names(made), [])
  })
  test('by a retired key too, which begins nothing; and by none that the trust has no more', () => {
    const { e1 } = trustOf().keys
    assert.ok(e1)
    const retired = { keys: { e1: { ...e1, isRetired: true } } }
    const made = under([tainted(ENDED), ...output(first)], ENDED, retired)
    assert.equal(names(made), [END])
    assert.is(nodeOf(made)?.spec, undefined)
    assert.equal(errors(under([cordon], T, retired)), ['KeyExpired'])
    assert.is(said(under([tainted(ENDED), ...output(first)], ENDED, { keys: {} })).length, 2)
  })
  test('and allowed: one that the trust refuses has begun nothing, and a narrower policy strands no node', () => {
    const left = (policy: object, trust: Partial<Trust> = {}) => {
      const before = output(first).filter(({ kind }) => kind !== 'ActionPolicy')
      return under([tainted(ENDED), actionPolicy(policy), ...before], ENDED, trust)
    }
    const drains = { types: ['drainNode'] }
    const narrowed = left(drains)
    assert.equal([names(narrowed), said(narrowed)], [[END], []])
    assert.is(nodeOf(narrowed)?.metadata.annotations?.[PROOF], `[${proofOf(cordon)}]`)
    for (const made of [left(drains, drains), left({}, { nodeSelector: { other: 'yes' } })]) {
      assert.equal(names(made), [])
      assert.is(nodeOf(made), undefined)
      assert.is(said(made).length, 2)
    }
  })
  test('a taint that another action wants stays', () => {
    const other = signedAction({ id: 't-2', type: 'taintNode', sequence: 2, parameters: TAINT, ...LATER })
    assert.equal(names(under([tainted(ENDED), other, ...output(first)], ENDED)), [
      `taintnode-small-000002-${digestOfAction(other)}`,
    ])
  })
  test('a Job in another namespace is none of its action, and moves no other there', () => {
    const moved = (object: KubernetesObject): KubernetesObject => {
      if (object.kind !== 'Job') return object
      const annotations = { ...object.metadata.annotations, 'nodefit.dev/namespace': 'nodefit-actions' }
      return { ...object, metadata: { ...object.metadata, annotations, namespace: 'kube-system' } }
    }
    assert.equal(errors(under([taint, ...output(under([taint]), moved)])), ['JobDiffers'])
    const drain = signedAction({ id: 'd-1', type: 'drainNode', target: { kind: 'Node', name: 'small-000003' } })
    const made = under([drain, ...output(under([taint]), moved)])
    assert.equal(
      rendered(made, 'Job').map(({ metadata }) => metadata.namespace),
      ['nodefit-actions', 'nodefit-actions'],
    )
  })
  test('a partial Node that is there twice is an error', () => {
    const [document] = output(first).filter(({ kind }) => kind === 'Node')
    assert.ok(document)
    assert.equal(errors(under([cordon, document, structuredClone(document)])), ['DuplicateOutput'])
  })
  test('a time of its end that is made up is none', () => {
    const made = under([tainted(ENDED), ...output(first)], ENDED)
    const change = (object: KubernetesObject) => {
      const annotations = { ...object.metadata.annotations, 'nodefit.dev/ended': '2099-01-01T00:00:00Z' }
      return { ...object, metadata: { ...object.metadata, annotations } }
    }
    const next = under([tainted(ENDED), ...output(made, change)], ENDED)
    for (const object of [...rendered(next, 'Job'), nodeOf(next)])
      assert.is(object?.metadata.annotations?.['nodefit.dev/ended'], ENDED)
  })
})

suite('a package of an earlier version, which left no proof', (test) => {
  const before = output(under([taint, cordon]), bare)
  test('goes on without a second act, and carries the proof from then on', () => {
    const made = under([taint, cordon, ...before])
    assert.equal(errors(made), [])
    assert.equal(codes(made).includes('JobDiffers'), false)
    assert.equal(names(made), [`taintnode-small-000002-${digestOfAction(taint)}`])
    assert.is(rendered(made, 'Job')[0]?.metadata.annotations?.[PROOF], proofOf(taint))
    const [own] = rendered(made, 'Job')
    const [old] = before.filter(({ kind }) => kind === 'Job')
    assert.equal(own?.spec, old?.spec)
  })
  test('ends what it began while the expired file is there', () => {
    const made = under([tainted(ENDED), taint, cordon, ...before], ENDED)
    assert.equal(names(made), [END])
    assert.is(nodeOf(made)?.spec, undefined)
    assert.ok(nodeOf(made))
  })
  test('names what it left, which a signed untaintNode and uncordonNode end', () => {
    const left = [tainted(ENDED), ...before]
    assert.is(said(under(left, ENDED)).length, 2)
    const { key, effect } = TAINT
    const untaint = signedAction({ id: 'u-1', type: 'untaintNode', sequence: 2, parameters: { key, effect }, ...LATER })
    const uncordon = signedAction({ id: 'u-2', type: 'uncordonNode', sequence: 2, ...LATER })
    const made = under([...left, untaint, uncordon], ENDED)
    assert.equal(errors(made), [])
    assert.equal(said(made), [])
    assert.equal(names(made), [`untaintnode-small-000002-${digestOfAction(untaint)}`])
    assert.equal(nodeOf(made)?.spec, { unschedulable: false })
  })
})

suite('untaintNode', (test) => {
  const { key, effect } = TAINT
  const untaint = (more: object = {}) =>
    signedAction({ id: 'u-1', type: 'untaintNode', sequence: 2, parameters: { key, effect }, ...more })
  const args = (made: Plan) =>
    rendered(made, 'Job').map(({ spec }) => {
      const { template } = spec as { template: { spec: { containers: Array<{ args: string[] }> } } }
      return template.spec.containers[0]?.args.join(' ')
    })
  test('takes a taint away once, by a Job with the rights to taint', () => {
    const made = under([tainted(T), untaint()])
    assert.equal(args(made), ['taint node small-000002 dedicated:NoSchedule-'])
    const next = under([tainted(T, []), untaint(), ...output(made)])
    assert.equal(names(next), names(made), 'its Job stays while it is valid: one that is gone would run again')
    assert.equal(args(under([tainted(ENDED, []), ...output(made)], ENDED)), [], 'and leaves nothing to end')
  })
  test('has nothing to do where the node has no such taint', () => {
    assert.equal(args(under([tainted(T, []), untaint()])), [])
    assert.equal(args(under([tainted(T, [{ ...TAINT, effect: 'NoExecute' }]), untaint()])), [])
  })
  test('ends a taintNode of a lower sequence, with one Job for both', () => {
    const first = under([taint])
    const made = under([tainted(T), taint, untaint(), ...output(first)])
    assert.equal(errors(made), [])
    assert.equal(args(made), ['taint node small-000002 dedicated:NoSchedule-'])
    assert.ok(codes(made).includes('ActionSuperseded'))
    const later = under([tainted(T), untaint(), signedAction({ ...(taint.spec as object), id: 't-2', sequence: 3 })])
    assert.equal(args(later), ['taint node small-000002 dedicated=x:NoSchedule --overwrite'])
  })
  test('leaves the control plane alone', () => {
    const parameters = { key: 'node-role.kubernetes.io/control-plane', effect }
    assert.equal(errors(under([untaint({ parameters })])), ['ForbiddenLabel'])
    assert.equal(errors(under([signedAction({ id: 't', type: 'taintNode', parameters })])), ['ForbiddenLabel'])
    const open = actionPolicy({ allowControlPlane: true })
    assert.equal(errors(under([open, untaint({ parameters })], T, { allowControlPlane: true })), [])
  })
  test('needs a key and an effect', () => {
    assert.equal(errors(under([untaint({ parameters: { key } })])), ['InvalidField'])
    assert.equal(errors(under([untaint({ parameters: TAINT })])), ['UnknownField'])
  })
})

suite('several signatures', (test) => {
  const two: Partial<Trust> = { signatures: { drainNode: 2 } }
  const drain = { ...signedAction({ id: 'd-1', type: 'drainNode' }), signature: [] }
  const by = (...ids: Array<keyof typeof SIGNERS>): KubernetesObject =>
    ids.reduce<KubernetesObject>((action, id) => {
      const made = addSignature(action, SIGNERS[id])
      if ('problem' in made) throw new Error(made.problem.code)
      return made.action
    }, drain)
  test('of as many keys as the trust asks for render an action', () => {
    assert.equal(errors(under([by('e1', 'k1')], T, two)), [])
    assert.equal(names(under([by('e1', 'k1')], T, two)).length, 1)
    assert.equal(names(under([by('e1', 'k1')], T, two)), names(under([by('k1', 'e1')], T, two)), 'in any order')
    assert.equal(errors(under([by('e1')])), [], 'one is enough where one is asked for')
    assert.equal(errors(under([cordon], T, two)), [], 'and for other types')
  })
  const REFUSED: Record<string, readonly [KubernetesObject, string]> = {
    'one of the old form': [signedAction({ id: 'd-1', type: 'drainNode' }), 'TooFewSignatures'],
    'one in a list': [by('e1'), 'TooFewSignatures'],
    none: [drain, 'TooFewSignatures'],
    'one twice': [{ ...drain, signature: [...list(by('e1')), ...list(by('e1'))] }, 'MalformedSignature'],
    'one of a key that the trust has not': [rename(by('e1', 'k1'), 'k1', 'k7'), 'UnknownKey'],
    'one of another key': [rename(by('e1', 'k1'), 'k1', 'k2'), 'BadSignature'],
    'an old and a new one': [
      { ...drain, signature: [signedAction({ id: 'd-1', type: 'drainNode' }).signature, ...list(by('k1'))] },
      'BadSignature',
    ],
    'two and a third that does not fit': [rename(by('e1', 'k1', 'k2'), 'k2', 'k9'), 'UnknownKey'],
  }
  for (const [name, [action, code]] of Object.entries(REFUSED))
    test(`refuse ${name}`, () => assert.equal(errors(under([action], T, two)), [code]))
  test('are asked for where a signature is not', () => {
    const open = { ...two, requireSignature: false }
    const { signature: _, ...unsigned } = drain as KubernetesObject & { signature: unknown }
    assert.equal(errors(under([actionPolicy({ requireSignature: false }), unsigned], T, open)), ['TooFewSignatures'])
  })
  test('each key is asked for its window and its types', () => {
    const { keys } = trustOf()
    const with1 = (more: object) => ({ ...two, keys: { ...keys, k1: { ...keys.k1, ...more } } }) as Partial<Trust>
    assert.equal(errors(under([by('e1', 'k1')], T, with1({ types: ['cordonNode'] }))), ['KeyTypeForbidden'])
    assert.equal(errors(under([by('e1', 'k1')], T, with1({ notAfter: '2026-01-01T00:00:00Z' }))), ['KeyExpired'])
    assert.equal(errors(under([by('e1', 'k1')], T, with1({ isRetired: true }))), ['KeyExpired'])
  })
  test('end what they began', () => {
    const first = under([actionPolicy({ drain: { hold: 'taint' } }), by('e1', 'k1')], T, two)
    const held = { key: 'nodefit.dev/drain', value: 'd-1', effect: 'NoSchedule' }
    const made = under([tainted(ENDED, [held]), ...output(first)], ENDED, two)
    assert.equal(said(made), [])
    assert.equal(names(made), [`untaintnode-small-000002-${digestOfAction(by('e1', 'k1'))}`])
  })
})

function list(action: KubernetesObject): unknown[] {
  return (action as unknown as { signature: unknown[] }).signature
}

function rename(action: KubernetesObject, from: string, to: string): KubernetesObject {
  const signatures = list(action) as Array<{ keyId: string }>
  const renamed = signatures.map((one) => (one.keyId === from ? { ...one, keyId: to } : one))
  return { ...action, signature: renamed } as KubernetesObject
}
