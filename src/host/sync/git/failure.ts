/**
 * How an operation on the remote failed: another writer was first, a person has to act, or the remote cannot be reached
 * now.
 */
export type FailureKind = 'raced' | 'refused' | 'unreachable'

const raced = (mend: string) => ({ kind: 'raced', mend }) as const
const refused = (mend: string) => ({ kind: 'refused', mend }) as const
const unreachable = (mend: string) => ({ kind: 'unreachable', mend }) as const
const RETRIED = 'No action is needed: the commit is made again on the new head of the branch.'
const TEMPORARY = 'No action is needed if it passes: the operation is tried again.'

/** The reasons of a failed fetch or push, each with its kind and the next step. */
export const REASONS = {
  'non-fast-forward': raced(RETRIED),
  'fetch-first': raced(RETRIED),
  'stale-info': raced(RETRIED),
  'old-value': raced(RETRIED),
  'ref-locked': raced(RETRIED),
  'already-exists': raced(RETRIED),
  'pull-request-required': refused(
    'Allow this writer to bypass the rule, or set `review` to push to a branch for review.',
  ),
  'signature-required': refused('Sign commits with `git.signing`, or set `git.pushVia: github`.'),
  'protected-branch': refused(
    'Allow this writer to push to the branch, or set `review` to push to a branch for review.',
  ),
  rules: refused(
    'Allow this writer to bypass the rule that the text names, or change `git.messageTemplate`, `git.author` or `git.committer` to satisfy it.',
  ),
  author: refused('Set `git.author` and `git.committer` to an address that the rule allows.'),
  message: refused('Change `git.messageTemplate` to match the pattern of the rule.'),
  'large-file': refused('Set `inventory.exact` and `inventory.uid` to false, to make the inventory smaller.'),
  'size-limit': refused('Free space in the repository, or raise the limit of the server or of its proxy.'),
  secret: refused(
    'Remove labels with secret values from `labels`; if the finding is no secret, allow it for the path.',
  ),
  archived: refused('Unarchive the repository, or set `git.url` to another one.'),
  'read-only': refused('Give the deploy key or token write access.'),
  permission: refused('Give the account, token or app write access to the contents of this repository.'),
  authentication: refused(
    'Renew the credentials in the Secret, for an encrypted key also its passphrase; they are read again at the next attempt.',
  ),
  'not-found': refused('Check `git.url`, and that the account may read the repository.'),
  'no-branch': refused('Create the branch; nodefit sync creates it only in an empty repository.'),
  'host-key': refused('Add the key of the server to `known_hosts` of the Secret, after checking it with its operator.'),
  key: refused(
    'Put an unencrypted private key in OpenSSH or PEM form into the Secret, or its passphrase as `password`.',
  ),
  certificate: refused(
    'Put the certificate of the authority into `ca.crt` of the Secret, or renew that of the server.',
  ),
  credentials: refused('Give the Secret the fields that Flux or Argo CD use for this kind of URL.'),
  signing: refused('Set `git.signing.key` to an unencrypted SSH private key; no commit is pushed without a signature.'),
  'push-options': refused('Leave `pushOptions` empty: the server does not support push options.'),
  hook: refused('Change the hook of the server to allow this writer; the text has its message.'),
  configuration: refused('Correct the field that the text names.'),
  unknown: refused('Resolve what the text says, and report the text to the project, so that it gets a reason.'),
  'name-resolution': unreachable('Check the host in `git.url`, the cluster DNS and the NetworkPolicy.'),
  connection: unreachable('Check that the server runs, and that the NetworkPolicy and the proxy allow the connection.'),
  disconnected: unreachable(TEMPORARY),
  timeout: unreachable('If it continues, raise `git.timeout`, or find out why the server is slow.'),
  'rate-limited': unreachable('If it continues, raise `minPushInterval` or `reconcileInterval`.'),
  'server-error': unreachable(TEMPORARY),
  maintenance: unreachable(TEMPORARY),
  'disk-full': unreachable('Free space: on the volume of the cache if the text names no remote, else on the server.'),
  'broken-cache': unreachable(TEMPORARY),
  stopped: unreachable('No action is needed: the process is shutting down.'),
} as const satisfies Record<string, { kind: FailureKind; mend: string }>

/** A key of `REASONS`, which is also a label of the metric nodefit_pushes_total. */
export type Reason = keyof typeof REASONS

/**
 * What git, ssh and servers write for each reason. The first match counts, so specific patterns come before general
 * ones.
 */
export const WORDINGS: ReadonlyArray<readonly [pattern: RegExp, reason: Reason]> = [
  // room and size
  [
    /No space left on device|Disk quota exceeded|File too large|unable to write (?:loose object|new index) file|ENOSPC|EDQUOT/i,
    'disk-full',
  ],
  [
    /GH001|exceeds GitHub's file size limit|VS403659|larger than the allowed size|file size limit of|exceed(?:s|ed)? the (?:maximum )?file size/i,
    'large-file',
  ],
  [
    /exceeded its size limit|has exceeded (?:its|the) (?:storage|size)|over its size limit|size limit exceeded|pack exceeds maximum allowed size|Quota exceeded|error: 413|HTTP 413|Request Entity Too Large/i,
    'size-limit',
  ],
  [/Push cannot contain secrets|GH009|VS403654.*secret|SECRET PUSH PROTECTION|secret push protection/i, 'secret'],
  // rules of forges
  [
    /must be made through a pull request|modified through pull requests|TF402455|must use a pull request/i,
    'pull-request-required',
  ],
  [
    /must have verified signatures|Commit must be signed|protected from unverified commit|unsigned commit|must be signed with/i,
    'signature-required',
  ],
  [
    /GH007|author e?-?mail|Author's (?:commit )?e?-?mail|Committer's (?:e?-?mail|name)|Expected committer|cannot push commits for '|You can only push commits that were committed/i,
    'author',
  ],
  [/Commit message (?:does not follow|contains the forbidden|must)|commit message .* pattern/i, 'message'],
  [
    /repository (?:was|is|has been) archived|archived so it is read-only|archived and .*read-only|push code to an archived|Repo is archived|archived project/i,
    'archived',
  ],
  [
    /marked as read.only|deploy key does not have write access|key is read.?only|mirror repository is read-only|read-only GitLab|not allowed to push code to this project/i,
    'read-only',
  ],
  [
    /temporarily read-only|repository is (?:currently )?(?:in )?read[- ]only|read-only mode|being migrated|under maintenance|currently unable to handle this request due to load|locked for maintenance|repository is locked/i,
    'maintenance',
  ],
  [
    /GH006|protected branch hook declined|Protected branch update failed|not allowed to (?:force )?push code to (?:a )?protected branch|push to protected branch|is protected from|branch permissions configuration|Permission denied to update branch|no_fast_forward|TF402462/i,
    'protected-branch',
  ],
  [/GH013|Repository rule violations|VS4036\d\d|violates? .*(?:push|branch) (?:rule|policy)|push rule/i, 'rules'],
  // the branch has moved
  [
    /TF401028|already been updated by another client|incorrect old value provided|Expected branch to point to|STALE_DATA/i,
    'old-value',
  ],
  [
    /cannot lock ref|failed to lock|failed to update ref|Unable to create '[^']*refs[^']*\.lock'|Reference update failed|could not lock references/i,
    'ref-locked',
  ],
  [/\(stale info\)|remote ref updated since checkout/i, 'stale-info'],
  [/\(fetch first\)/i, 'fetch-first'],
  [/\(non-fast-forward\)|denying non-fast-forward|Update is not a fast.forward/i, 'non-fast-forward'],
  [/\(already exists\)|reference already exists|A ref named .* already exists/i, 'already-exists'],
  // access
  [/Host key verification failed|HOST IDENTIFICATION HAS CHANGED|No \S+ host key is known/i, 'host-key'],
  [/error: 429|HTTP 429|Too Many Requests|rate limit|abuse detection/i, 'rate-limited'],
  [
    /Load key .*(?:invalid format|error in libcrypto|incorrect passphrase|bad permissions)|invalid format.*private key/i,
    'key',
  ],
  [/does not support push options/i, 'push-options'],
  [
    /Authentication failed|Invalid username or (?:password|token)|HTTP Basic: Access denied|could not read (?:Username|Password)|Permission denied \(|Bad credentials|error: 401|HTTP 401|TF400813|password authentication was removed|Too many authentication failures|JSON web token could not be decoded/i,
    'authentication',
  ],
  [
    /Repository not found|repository '[^']*' not found|does not appear to be a git repository|project you were looking for could not be found|TF401019|error: 404|HTTP 404|Could not resolve to a Repository|does not exist or you do not have|Cannot find repository/i,
    'not-found',
  ],
  [
    /Permission to \S+ denied|Write access to repository not granted|not granted|error: 403|HTTP 403|permission denied for writ|GenericContribute|TF401027|SAML SSO|IP allow ?list|not permitted to|do not have permission|insufficient permission|Resource not accessible|must have push access/i,
    'permission',
  ],
  [
    /SSL certificate problem|certificate verif|server certificate|self.signed certificate|CERT_HAS_EXPIRED|unable to get local issuer|SSL: no alternative certificate|error setting certificate/i,
    'certificate',
  ],
  [
    /failed to (?:sign|write commit object)|Couldn't load public key|Couldn't sign|signing failed|user\.signingkey/i,
    'signing',
  ],
  [/transport '[^']*' not allowed|protocol '[^']*' is not supported|unable to find remote helper/i, 'configuration'],
  // network
  [
    /Could not resolve host|Name or service not known|Temporary failure in name resolution|ENOTFOUND|EAI_AGAIN/i,
    'name-resolution',
  ],
  [/timed out|Operation too slow|Deadline Exceeded|ETIMEDOUT|error: 504|HTTP 504/i, 'timeout'],
  [
    /error: 5\d\d|HTTP 5\d\d|Internal Server Error|internal error|fatal error in commit_refs|Internal API unreachable|remote unpack failed|unpacker error|Something went wrong/i,
    'server-error',
  ],
  [
    /early EOF|RPC failed|hung up unexpectedly|unexpected disconnect|Broken pipe|connection reset|reset by peer|Connection closed|closed by remote host|transfer closed|empty reply|send-pack: unexpected|socket hang up|ECONNRESET|EPIPE|unexpected flush|expected flush|protocol error/i,
    'disconnected',
  ],
  [
    /Connection refused|Failed to connect|Couldn't connect|Could not connect|No route to host|Network is unreachable|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|unable to access|kex_exchange_identification/i,
    'connection',
  ],
  [
    /index file corrupt|index\.lock|shallow\.lock|\.lock': File exists|bad object|unable to read tree|object .* is corrupt|not a git repository|bad config line|(?:corrupt|invalid) (?:pack|loose)|missing blob|bad tree object|did not send all necessary objects|could not parse commit|not a valid object|bad signature|unable to (?:open|read) .*(?:index|pack)/i,
    'broken-cache',
  ],
  // no further detail
  [/hook declined|push declined|remote rejected|pre-receive/i, 'hook'],
  [/Could not read from remote repository/i, 'disconnected'],
]

/** The reason of a message from git or a server; `unknown` where no pattern matches. */
export function classify(text: string): Reason {
  return WORDINGS.find(([pattern]) => pattern.test(text))?.[1] ?? 'unknown'
}

/** A push that failed. */
export interface Rejected {
  readonly kind: FailureKind
  readonly reason: Reason
  /** The message of git or the server, without secrets. */
  readonly text: string
  /** The next step. */
  readonly mend: string
  /** Milliseconds that the server asks to wait. */
  readonly retryAfter?: number
  /** Whether a fetch failed, not a push. */
  readonly isFetch?: boolean
}

/** An operation that failed. Its message contains no secrets. */
export class GitFailure extends Error {
  readonly kind: FailureKind
  readonly reason: Reason
  readonly mend: string
  readonly retryAfter: number | undefined

  constructor(reason: Reason, text: string, retryAfter?: number) {
    super(text)
    this.name = 'GitFailure'
    this.reason = reason
    this.kind = REASONS[reason].kind
    this.mend = REASONS[reason].mend
    this.retryAfter = retryAfter
  }

  /** The failure of a message from git or a server, classified. */
  static of(text: string): GitFailure {
    return new GitFailure(classify(text), text)
  }

  /** An error of the file system as a failure, where it says that there is no room; else undefined. */
  static ofSystem(error: unknown): GitFailure | undefined {
    const { code, message } = error as NodeJS.ErrnoException
    return code === 'ENOSPC' || code === 'EDQUOT' ? new GitFailure('disk-full', message) : undefined
  }

  /** The failure as the result of a push. */
  toRejected(): Rejected {
    const { kind, reason, message: text, mend, retryAfter } = this
    return { kind, reason, text, mend, ...(retryAfter === undefined ? {} : { retryAfter }) }
  }
}
