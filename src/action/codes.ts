import { codesAbout, findingOf } from '../finding/index.ts'
import { POLICY_CODES } from '../policy/codes.ts'
import { WORLD_CODES } from '../world/codes.ts'

/** What somebody did wrong with a signature or a key: nothing is rendered. */
const SIGNATURE_CODES = codesAbout('Signed actions', {
  UnsupportedAlgorithm: {
    severity: 'error',
    meaning:
      'An action is signed with another algorithm than HMAC-SHA256 and Ed25519, or with another than its key has.',
    mend: 'Sign it again with nodefit sign.',
  },
  UnknownKey: {
    severity: 'error',
    meaning: 'The keyring has no key of the id that an action names. No other key is tried.',
    mend: 'Add the key to the keyring, or remove the action.',
  },
  NoKey: {
    severity: 'error',
    meaning:
      'An action is signed with HMAC-SHA256, and the run has no keyring with secrets. Hosts that show a function only the package, as kpt and kustomize do, can verify Ed25519 alone.',
    mend: 'Run nodefit build --keyring FILE, or sign with an Ed25519 key.',
  },
  MalformedSignature: {
    severity: 'error',
    meaning: 'The value of a signature is not the base64url of as many bytes as its algorithm has, without padding.',
    mend: 'Sign it again with nodefit sign.',
  },
  BadSignature: {
    severity: 'error',
    meaning:
      'The signature is not that of this action: it was changed after it was signed, or signed with another key.',
    mend: 'Find out who changed it; sign it again, or remove it.',
  },
  KeyExpired: {
    severity: 'error',
    meaning: 'An action was issued outside the window of its key.',
    mend: 'Sign it again with a current key.',
  },
  KeyTypeForbidden: {
    severity: 'error',
    meaning: 'The key may not sign actions of this type.',
    mend: 'Sign it with a key that may, or remove it.',
  },
  KeyringInvalid: {
    severity: 'error',
    meaning: 'A key of the keyring cannot be used, or the package has several keyrings.',
    mend: 'Correct the keyring; nodefit sign --new-key writes a key.',
  },
  KeyInPackage: {
    severity: 'error',
    meaning:
      'A secret key is in the package. Whoever reads the package can sign with it, and Git keeps it in its history.',
    mend: 'Replace the key everywhere, keep the new one outside the package, and give it with --keyring.',
  },
  NonIntegerNumber: {
    severity: 'error',
    meaning: 'A signed number is not an integer, which readers of YAML and JSON write differently.',
    mend: 'Write an integer, or a text in quotes, and sign again.',
  },
  UnsafeInteger: {
    severity: 'error',
    meaning: 'A signed integer is beyond 2^53 - 1, where some readers lose digits.',
    mend: 'Write a smaller integer, or a text in quotes, and sign again.',
  },
  LifetimeTooLong: {
    severity: 'error',
    meaning:
      'The time from issuedAt to expiresAt of an action is longer than maxLifetime of the ActionPolicy, or not above 0.',
    mend: 'Sign it again with an earlier expiresAt.',
  },
  ActionOfOtherCluster: {
    severity: 'error',
    meaning: 'An action is for another cluster than the nodes of the package.',
    mend: 'Move it to the package of its cluster.',
  },
  ActionUnverified: {
    severity: 'warning',
    meaning: 'An action is rendered although no key verifies it, because the ActionPolicy has requireSignature: false.',
    mend: 'Set requireSignature: true, and sign the action.',
  },
})

/** What time brings: the action renders nothing, and the run goes on. */
const LAPSE_CODES = codesAbout('Signed actions', {
  ActionExpired: {
    roles: ['shown'],
    severity: 'info',
    meaning: 'An action has expired: what it held is given back.',
    mend: '',
  },
  ActionNotYetValid: {
    roles: ['shown'],
    severity: 'info',
    meaning: 'An action begins later, or was issued more than a minute after the snapshot.',
    mend: '',
  },
})

/** Codes about signed actions. */
export const ACTION_CODES = { ...SIGNATURE_CODES, ...LAPSE_CODES }

export const finding = findingOf(POLICY_CODES, WORLD_CODES, ACTION_CODES)
