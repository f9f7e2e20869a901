import type { Reason } from '../../src/host/sync/git/failure.ts'

/** What a server's git says of a push that a hook has refused. */
const declined = (...lines: string[]) =>
  [
    ...lines.map((line) => `remote: ${line}`),
    '!\tabc:refs/heads/main\t[remote rejected] (pre-receive hook declined)',
  ].join('\n')
const rejected = (why: string) => `!\tabc:refs/heads/main\t[rejected] (${why})`
const remotely = (why: string) => `!\tabc:refs/heads/main\t[remote rejected] (${why})`
const http = (status: number) =>
  `fatal: unable to access 'https://git.example.com/a/b.git/': The requested URL returned error: ${status}`

export interface Said {
  /** What git writes. */
  readonly text: string
  readonly reason: Reason
  /** The lines that a server's hook would write to have git write that. */
  readonly hook?: readonly string[]
}

const byHook = (reason: Reason, ...hook: string[]): Said => ({ text: declined(...hook), reason, hook })
const bySaying = (reason: Reason, text: string): Said => ({ text, reason })

/** Wordings of forges and of git itself, as their users have published them. */
export const SAID: Readonly<Record<string, Said>> = {
  'GitHub: protected branch': byHook(
    'protected-branch',
    'error: GH006: Protected branch update failed for refs/heads/main.',
    'error: At least 1 approving review is required by reviewers with write access.',
  ),
  'GitHub: pull request required': byHook(
    'pull-request-required',
    'error: GH013: Repository rule violations found for refs/heads/main.',
    '- Changes must be made through a pull request.',
  ),
  'GitHub: signatures required': byHook(
    'signature-required',
    'error: GH013: Repository rule violations found for refs/heads/main.',
    '- Commits must have verified signatures.',
    '  Found 1 violation:',
  ),
  'GitHub: another rule': byHook(
    'rules',
    'error: GH013: Repository rule violations found for refs/heads/main.',
    '- Required status check "check" is expected.',
  ),
  'GitHub: large file': byHook(
    'large-file',
    'error: GH001: Large files detected. You may want to try Git Large File Storage.',
    "error: File inventory.yaml is 120.00 MB; this exceeds GitHub's file size limit of 100.00 MB",
  ),
  'GitHub: private email': byHook('author', 'error: GH007: Your push would publish a private email address.'),
  'GitHub: secret found': byHook(
    'secret',
    'error: GH013: Repository rule violations found for refs/heads/main.',
    '- GITHUB PUSH PROTECTION',
    '    - Push cannot contain secrets',
  ),
  'GitHub: archived': bySaying(
    'archived',
    'ERROR: This repository was archived so it is read-only.\nfatal: Could not read from remote repository.',
  ),
  'GitHub: key may only read': bySaying(
    'read-only',
    'ERROR: The key you are authenticating with has been marked as read only.\nfatal: Could not read from remote repository.',
  ),
  'GitHub: account may not write': bySaying(
    'permission',
    `remote: Permission to a/b.git denied to somebody.\n${http(403)}`,
  ),
  'GitHub: app may not write': bySaying('permission', `remote: Write access to repository not granted.\n${http(403)}`),
  'GitHub: single sign-on': bySaying('permission', "remote: The 'a' organization has enabled or enforced SAML SSO."),
  'GitHub: not found': bySaying(
    'not-found',
    "remote: Repository not found.\nfatal: repository 'https://github.com/a/b.git/' not found",
  ),
  'GitHub: bad token': bySaying(
    'authentication',
    "remote: Invalid username or token. Password authentication is not supported for Git operations.\nfatal: Authentication failed for 'https://github.com/a/b.git/'",
  ),
  'GitHub: race': bySaying('ref-locked', remotely("cannot lock ref 'refs/heads/main': is at 1111 but expected 2222")),
  'GitHub: server trouble': bySaying('server-error', `remote: fatal error in commit_refs\n${remotely('failure')}`),
  'GitHub: API race': bySaying('old-value', 'Expected branch to point to "1111" but it did not. Pull and try again.'),
  'GitHub: API branch exists': bySaying(
    'already-exists',
    'A ref named "refs/heads/x" already exists in the repository.',
  ),
  'GitHub: API limit': bySaying('rate-limited', 'You have exceeded a secondary rate limit.'),
  'GitHub: API repository': bySaying('not-found', "Could not resolve to a Repository with the name 'a/b'."),
  'GitHub: API permission': bySaying('permission', 'Resource not accessible by integration'),
  'GitHub: API token': bySaying('authentication', 'HTTP 401 Bad credentials'),
  'GitLab: protected branch': byHook(
    'protected-branch',
    'GitLab: You are not allowed to push code to protected branches on this project.',
  ),
  'GitLab: forced push': byHook(
    'protected-branch',
    'GitLab: You are not allowed to force push code to a protected branch on this project.',
  ),
  'GitLab: may not push': byHook('read-only', 'GitLab: You are not allowed to push code to this project.'),
  'GitLab: deploy key': byHook('read-only', 'GitLab: This deploy key does not have write access to this project.'),
  'GitLab: message pattern': byHook('message', "GitLab: Commit message does not follow the pattern '^[A-Z]+-[0-9]+'"),
  'GitLab: author': byHook(
    'author',
    "GitLab: Author's commit email 'nodefit@example.com' does not follow the pattern '@corp'",
  ),
  'GitLab: committer': byHook('author', "GitLab: Committer's email 'nodefit@example.com' is not verified"),
  'GitLab: unsigned': byHook('signature-required', 'GitLab: Commit must be signed with a GPG key'),
  'GitLab: size': byHook(
    'size-limit',
    'GitLab: Your push to this repository has been rejected because this repository has exceeded its size limit of 1 GB by 3 MB.',
  ),
  'GitLab: archived': byHook('archived', "GitLab: You can't push code to an archived project."),
  'GitLab: temporarily read-only': byHook(
    'maintenance',
    'GitLab: The repository is temporarily read-only. Please try again later.',
  ),
  'GitLab: overloaded': bySaying(
    'maintenance',
    'remote: GitLab is currently unable to handle this request due to load.\nfatal: Could not read from remote repository.',
  ),
  'GitLab: read-only instance': byHook('read-only', 'GitLab: You cannot push to a read-only GitLab instance.'),
  'GitLab: secret found': byHook('secret', 'GitLab: SECRET PUSH PROTECTION: pushed commits contain a secret'),
  'GitLab: not found': bySaying(
    'not-found',
    "remote: The project you were looking for could not be found or you don't have permission to view it.",
  ),
  'GitLab: bad token': bySaying(
    'authentication',
    "remote: HTTP Basic: Access denied. The provided password or token is incorrect.\nfatal: Authentication failed for 'https://gitlab.com/a/b.git/'",
  ),
  'GitLab: race': bySaying('old-value', remotely('incorrect old value provided')),
  'GitLab: internal API': byHook('server-error', 'GitLab: Internal API unreachable'),
  'GitLab: deadline': bySaying('timeout', 'remote: GitLab: 4:Deadline Exceeded.'),
  'Gitea: protected branch': byHook('protected-branch', 'Gitea: Not allowed to push to protected branch main'),
  'Gitea: unverified commit': byHook(
    'signature-required',
    'Gitea: branch main is protected from unverified commit 1111',
  ),
  'Gitea: protected file': byHook(
    'protected-branch',
    'Gitea: branch main is protected from changing file clusters/a.yaml',
  ),
  'Gitea: may not write': bySaying(
    'permission',
    'Gitea: User permission denied for writing.\nfatal: Could not read from remote repository.',
  ),
  'Gitea: mirror': bySaying(
    'read-only',
    'Gitea: mirror repository is read-only\nfatal: Could not read from remote repository.',
  ),
  'Gitea: not found': bySaying(
    'not-found',
    'Gitea: Cannot find repository: a/b\nfatal: Could not read from remote repository.',
  ),
  'Gitea: server trouble': byHook('server-error', 'Gitea: Internal Server Error (no message for end users)'),
  'Forgejo: protected branch': byHook('protected-branch', 'Forgejo: Not allowed to push to protected branch main'),
  'Forgejo: quota': byHook('size-limit', 'Forgejo: Quota exceeded'),
  'Bitbucket: branch permissions': byHook('protected-branch', 'Permission denied to update branch main.'),
  'Bitbucket: pull request required': byHook(
    'pull-request-required',
    'Branch refs/heads/main can only be modified through pull requests.',
    'Check your branch permissions configuration with the project administrator.',
  ),
  'Bitbucket: other committer': byHook(
    'author',
    "Expected committer email 'a@example.com' but found 'nodefit@example.com'",
  ),
  'Bitbucket: size': byHook('size-limit', 'Your repository is over its size limit of 4 GB'),
  'Bitbucket: limit': bySaying('rate-limited', http(429)),
  'Bitbucket: read-only': byHook('maintenance', 'This repository is currently in read-only mode'),
  'Azure DevOps: pull request required': byHook(
    'pull-request-required',
    'TF402455: Pushes to this branch are not permitted; you must use a pull request to update this branch.',
  ),
  'Azure DevOps: author policy': byHook(
    'rules',
    'VS403654: The push was rejected because it contains commits with a path that the policy forbids',
  ),
  'Azure DevOps: large file': byHook(
    'large-file',
    'VS403659: The push was rejected because it contains a file larger than the limit',
  ),
  'Azure DevOps: race': bySaying(
    'old-value',
    remotely(
      "TF401028: The reference 'refs/heads/main' has already been updated by another client, so you cannot update it. Please try again.",
    ),
  ),
  'Azure DevOps: permission': bySaying(
    'permission',
    "remote: TF401027: You need the Git 'GenericContribute' permission to perform this action.",
  ),
  'Azure DevOps: not found': bySaying(
    'not-found',
    'remote: TF401019: The Git repository with name or identifier b does not exist or you do not have permissions',
  ),
  'Azure DevOps: bad token': bySaying(
    'authentication',
    'remote: TF400813: Resource not available for anonymous access. Client authentication required.',
  ),
  'git: fetch first': bySaying('fetch-first', rejected('fetch first')),
  'git: not a fast-forward': bySaying('non-fast-forward', rejected('non-fast-forward')),
  'git: server denies what is no fast-forward': bySaying(
    'non-fast-forward',
    `remote: error: denying non-fast-forward refs/heads/main (you should pull first)\n${remotely('non-fast-forward')}`,
  ),
  'git: stale': bySaying('stale-info', rejected('stale info')),
  'git: reference locked': bySaying(
    'ref-locked',
    remotely("cannot lock ref 'refs/heads/main': Unable to create '/srv/a.git/refs/heads/main.lock': File exists."),
  ),
  'git: reference not updated': bySaying('ref-locked', remotely('failed to update ref')),
  'git: exists already': bySaying('already-exists', remotely('reference already exists')),
  'git: a hook': byHook('hook', 'no pushes on Fridays'),
  'git: no push options': bySaying('push-options', 'fatal: the receiving end does not support push options'),
  'git: disk of the server': bySaying(
    'disk-full',
    'remote: fatal: write error: No space left on device\nerror: remote unpack failed: unpack-objects abnormal exit',
  ),
  'git: unpacking': bySaying(
    'server-error',
    'error: remote unpack failed: unable to create temporary object directory',
  ),
  'git: pack too large': bySaying(
    'size-limit',
    'remote: fatal: pack exceeds maximum allowed size (1.00 MiB)\nerror: remote unpack failed: index-pack abnormal exit',
  ),
  'git: no repository': bySaying(
    'not-found',
    "fatal: '/srv/a.git' does not appear to be a git repository\nfatal: Could not read from remote repository.",
  ),
  'git: protocol that is not allowed': bySaying('configuration', "fatal: transport 'ext' not allowed"),
  'git: clone in use': bySaying('broken-cache', "fatal: Unable to create '/cache/git/index.lock': File exists."),
  'git: cannot sign': bySaying(
    'signing',
    "error: Couldn't load public key /x: No such file or directory?\n\nfatal: failed to write commit object",
  ),
  'http: 401': bySaying('authentication', http(401)),
  'http: no credentials': bySaying(
    'authentication',
    "fatal: could not read Username for 'https://git.example.com': terminal prompts disabled",
  ),
  'http: 403': bySaying('permission', http(403)),
  'http: 404': bySaying('not-found', "fatal: repository 'https://git.example.com/a/b.git/' not found"),
  'http: 413': bySaying('size-limit', 'error: RPC failed; HTTP 413 curl 22 The requested URL returned error: 413'),
  'http: 502': bySaying('server-error', http(502)),
  'http: 504': bySaying('timeout', http(504)),
  'http: cut': bySaying(
    'disconnected',
    'error: RPC failed; curl 56 Recv failure: Connection reset by peer\nsend-pack: unexpected disconnect while reading sideband packet\nfatal: the remote end hung up unexpectedly',
  ),
  'http: cut early': bySaying(
    'disconnected',
    'fetch-pack: unexpected disconnect while reading sideband packet\nfatal: early EOF\nfatal: fetch-pack: invalid index-pack output',
  ),
  'http: refused': bySaying(
    'connection',
    "fatal: unable to access 'https://git.example.com/a/b.git/': Failed to connect to git.example.com port 443 after 2 ms: Couldn't connect to server",
  ),
  'http: unknown host': bySaying(
    'name-resolution',
    "fatal: unable to access 'https://git.example.com/a/b.git/': Could not resolve host: git.example.com",
  ),
  'http: certificate': bySaying(
    'certificate',
    "fatal: unable to access 'https://git.example.com/a/b.git/': server certificate verification failed. CAfile: none CRLfile: none",
  ),
  'http: slow': bySaying(
    'timeout',
    "fatal: unable to access 'https://git.example.com/a/b.git/': Operation timed out after 30000 milliseconds",
  ),
  'ssh: key refused': bySaying(
    'authentication',
    'git@git.example.com: Permission denied (publickey).\nfatal: Could not read from remote repository.',
  ),
  'ssh: unknown server': bySaying(
    'host-key',
    'No ED25519 host key is known for [127.0.0.1]:2222 and you have requested strict checking.\nHost key verification failed.',
  ),
  'ssh: another server': bySaying('host-key', '@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @'),
  'ssh: unreadable key': bySaying(
    'key',
    'Load key "/private/identity": error in libcrypto\ngit@git.example.com: Permission denied (publickey).',
  ),
  'ssh: unknown host': bySaying(
    'name-resolution',
    'ssh: Could not resolve hostname git.example.com: Name or service not known',
  ),
  'ssh: refused': bySaying('connection', 'ssh: connect to host git.example.com port 22: Connection refused'),
  'ssh: slow': bySaying('timeout', 'ssh: connect to host git.example.com port 22: Connection timed out'),
  'ssh: ended': bySaying(
    'disconnected',
    'fatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.',
  ),
}
