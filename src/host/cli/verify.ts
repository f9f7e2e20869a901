import { printable } from '../../face/index.ts'
import { KrmError } from '../../krm/error.ts'
import { isTime, timeText } from '../../kube/index.ts'
import { readKeyring } from '../../plan/action/keys.ts'
import { formFindings, typeFindings } from '../../plan/action/parameters.ts'
import { readActionItem } from '../../plan/action/read-action.ts'
import { targetText, verifyAction } from '../../plan/action/verify.ts'
import { readObjects } from '../files/read-objects.ts'
import { writeView } from '../files/stdio.ts'
import { givenTrust, TRUST_FILE } from '../files/trust.ts'
import { UserError } from '../files/user-error.ts'
import { type Command, type Options, readArguments } from './command.ts'

const HELP = `nodefit verify [PATH...|-] --trust FILE|env:NAME | --keyring FILE|env:NAME
               [--cluster NAME] [--now TIME]

Verifies the NodeActions of the files, each in a line. Exit code 0: all are valid
or have expired; 1: one is refused; 2: the command could not run.

  --trust FILE     whom you trust to act, an ActionTrust, or env:NAME
  --keyring FILE   the keys, an ActionKeyring, or env:NAME
  --cluster NAME   the cluster that the actions must be for
  --now TIME       the time, RFC 3339, instead of the clock's

  nodefit verify signed.yaml --keyring keys.yaml --cluster prod-eu1
`

const OPTIONS = {
  trust: { type: 'string', about: 'whom the operator trusts to act', value: 'file' },
  keyring: { type: 'string', about: 'the keys', value: 'file' },
  cluster: { type: 'string', about: 'the cluster that the actions must be for' },
  now: { type: 'string', about: 'the time' },
} as const satisfies Options

/** `nodefit verify`: verifies signed actions, one line each. */
export const VERIFY: Command = {
  about: 'verify signed node actions',
  help: HELP,
  options: OPTIONS,
  operands: 'files',
  failure: 2,
  run: verifyFiles,
}

/** The policy of a package may limit it further. */
const MOST_MILLISECONDS = Number.MAX_SAFE_INTEGER

function verifyFiles(args: string[]): void {
  const { values, positionals } = readArguments('nodefit verify', args, OPTIONS)
  const trust = givenTrust(values, process.env)
  if (trust === undefined)
    throw new UserError('--trust or --keyring is missing: who is trusted, or the keys that verify')
  if (values.now !== undefined && !isTime(values.now))
    throw new UserError(`--now ${values.now} is not an RFC 3339 time`)
  const { keys, problems } = readKeyring(trust.keys)
  const unusable = problems.map(({ keyId, problem, isWeak }) => {
    process.exitCode = 1
    return `${values.trust ?? values.keyring ?? TRUST_FILE}: ${isWeak ? 'WeakKey' : 'KeyringInvalid'}: key ${keyId} cannot be used: ${problem}`
  })
  const now = values.now === undefined ? new Date() : new Date(values.now)
  const read = readRefused(() => readObjects(positionals.length === 0 ? ['-'] : positionals))
  if (typeof read === 'string') {
    writeView(`${printable(read)}\n`)
    return
  }
  const actions = read.filter(({ object }) => object.kind === 'NodeAction')
  if (actions.length === 0) throw new UserError('there is no NodeAction')
  const lines = actions.map((item) => {
    const { object } = item
    const { value: action, findings: malformed } = readActionItem(item)
    const cluster = trust.cluster ?? values.cluster ?? action?.cluster ?? ''
    const verifier = {
      ...{ keys, hasSecrets: true, requireSignature: true, cluster, now },
      clusterUid: trust.clusterUid,
      requireUid: trust.clusterUid !== undefined,
      skew: trust.maxClockSkew,
      signatures: trust.signatures,
      // of a keyring alone: the policy of a package may limit it
      maxLifetime: trust.byClock ? trust.maxLifetime : MOST_MILLISECONDS,
    }
    const verified = action === undefined ? undefined : verifyAction(action, verifier)
    const isOpen = verified?.verdict === 'valid' || verified?.verdict === 'early'
    const wrong = action !== undefined && isOpen ? [...formFindings(action), ...typeFindings(action, trust)] : malformed
    const { verdict, findings } =
      verified === undefined || wrong.length > 0 ? { verdict: 'refused' as const, findings: wrong } : verified
    if (verdict === 'refused') process.exitCode = 1
    const [first] = findings
    const what = action === undefined ? object.metadata.name : `${action.id} ${action.type} ${targetText(action)}`
    const words =
      first === undefined ? `until ${timeText(action?.expiresAt ?? now)}` : `${first.code}: ${first.sentence}`
    return `${what}: ${verdict}, ${words}`
  })
  writeView([...unusable, ...lines].map((line) => `${printable(line)}\n`).join(''))
}

/** Reads what is to be verified; a file that readers may take in two ways is refused, which the sentence says. */
function readRefused<Value>(read: () => Value): Value | string {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof KrmError)) throw error
    process.exitCode = 1
    return `refused, ${error.code}: ${error.message}`
  }
}
