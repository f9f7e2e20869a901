/**
 * GitHub's programming interfaces, as far as nodefit sync uses them, over a bare repository: the shapes of requests and answers are those of
 * GitHub's documentation.
 */
import { createVerify } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BareRemote } from './bare-remote.ts'

// biome-ignore lint/suspicious/noExplicitAny: JSON of any kind
type Any = any

export interface GitHubApi {
  /** The base address as a Secret has it. */
  readonly baseUrl: string
  /** Bodies of all requests, and their paths. */
  readonly requests: { path: string; body: Any }[]
  /** Tokens that were given and are good. */
  readonly tokens: Set<string>
  /** Decides what goes wrong with a mutation or query: an error of GraphQL, an answer of HTTP, or a connection that is cut. */
  fault: (
    name: string,
  ) =>
    | { type?: string; message: string }
    | { status: number; headers?: Record<string, string>; body?: string }
    | 'cut-before'
    | 'cut-after'
    | undefined
  stop(): Promise<void>
}

/** Serves the repository `owner/name`; `publicKey` is that of the App. */
export async function serveGitHub(
  remote: BareRemote,
  { owner, name, publicKey }: { owner: string; name: string; publicKey: string },
): Promise<GitHubApi> {
  const requests: GitHubApi['requests'] = []
  const tokens = new Set<string>()
  const api: GitHubApi = {
    baseUrl: '',
    requests,
    tokens,
    fault: () => undefined,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  const server = createServer(async (request, response) => {
    const path = request.url ?? ''
    const body = JSON.parse(await textOf(request))
    requests.push({ path, body })
    const authorization = request.headers.authorization ?? ''
    if (path.endsWith('/access_tokens')) return void token(authorization, body, response)
    if (!tokens.has(authorization.replace('Bearer ', '')))
      return void answer(response, 401, { message: 'Bad credentials' })
    const operation = /(createCommitOnBranch|createRef|updateRef|compare)/.exec(body.query)?.[1] ?? 'id'
    const fault = api.fault(operation)
    if (fault === 'cut-before') return void request.socket.destroy()
    if (typeof fault === 'object' && 'status' in fault)
      return void response.writeHead(fault.status, fault.headers).end(fault.body ?? '')
    if (typeof fault === 'object')
      return void answer(response, 200, { data: { [operation]: null }, errors: [{ ...fault, path: [operation] }] })
    const result = run(operation, body.variables)
    if (fault === 'cut-after') return void request.socket.destroy()
    answer(response, 200, result)
  })

  function token(authorization: string, body: Any, response: ServerResponse): void {
    const [header = '', payload = '', signature = ''] = authorization.replace('Bearer ', '').split('.')
    const isSigned = createVerify('RSA-SHA256').update(`${header}.${payload}`).verify(publicKey, signature, 'base64url')
    const { iat, exp, iss } = isSigned
      ? JSON.parse(Buffer.from(payload, 'base64url').toString())
      : { iat: 0, exp: 0, iss: '' }
    if (!isSigned || exp - iat > 600 || iat * 1000 > Date.now() || exp * 1000 < Date.now() || iss !== '4711')
      return void answer(response, 401, { message: 'A JSON web token could not be decoded' })
    if (body.repositories?.[0] !== name || body.permissions?.contents !== 'write')
      return void answer(response, 422, { message: 'There is at least one repository that does not exist' })
    const given = `ghs_${tokens.size}_${'x'.repeat(30)}`
    tokens.add(given)
    answer(response, 201, {
      token: given,
      expires_at: new Date(Date.now() + 3600_000).toISOString(),
      permissions: body.permissions,
    })
  }

  function run(operation: string, variables: Any): Any {
    const error = (type: string, message: string) => ({
      data: { [operation]: null },
      errors: [{ type, path: [operation], message }],
    })
    if (operation === 'id')
      return variables.name === name
        ? { data: { repository: { id: 'R_1' } } }
        : {
            data: { repository: null },
            errors: [
              {
                type: 'NOT_FOUND',
                message: `Could not resolve to a Repository with the name '${variables.owner}/${variables.name}'.`,
              },
            ],
          }
    if (operation === 'compare') {
      const ahead = remote.git('rev-list', '--count', `${variables.base}..${variables.branch}`)
      return {
        data: { repository: { id: 'R_1', own: { id: variables.ref }, ref: { compare: { aheadBy: Number(ahead) } } } },
      }
    }
    const { input } = variables
    if (operation === 'createRef') {
      const branch = input.name.replace('refs/heads/', '')
      if (remote.head(branch) !== undefined)
        return error('UNPROCESSABLE', `A ref named "${input.name}" already exists in the repository.`)
      remote.git('update-ref', input.name, input.oid)
      return { data: { createRef: { ref: { name: branch } } } }
    }
    if (operation === 'updateRef') {
      if (remote.git('rev-list', '--count', `${input.oid}..${input.refId}`) !== '0' && input.force !== true)
        return error('UNPROCESSABLE', 'Update is not a fast forward')
      remote.git('update-ref', input.refId, input.oid)
      return { data: { updateRef: { ref: { name: input.refId.replace('refs/heads/', '') } } } }
    }
    const { branchName, repositoryNameWithOwner } = input.branch
    if (repositoryNameWithOwner !== `${owner}/${name}`)
      return error('NOT_FOUND', `Could not resolve to a Repository with the name '${repositoryNameWithOwner}'.`)
    const files = remote.files(branchName)
    for (const { path } of input.fileChanges.deletions)
      if (files[path] === undefined)
        return error(
          'UNPROCESSABLE',
          `A path was requested for deletion which does not exist as of commit oid \`${input.expectedHeadOid}\``,
        )
    if (remote.head(branchName) !== input.expectedHeadOid)
      return error(
        'STALE_DATA',
        `Expected branch to point to "${input.expectedHeadOid}" but it did not. Pull and try again.`,
      )
    const additions = input.fileChanges.additions.map(({ path, contents }: Any) => [
      path,
      Buffer.from(contents, 'base64').toString(),
    ])
    const deletions = input.fileChanges.deletions.map(({ path }: Any) => [path, undefined])
    const { headline, body } = input.message
    const oid = remote.commit(
      Object.fromEntries([...additions, ...deletions]),
      branchName,
      body === undefined ? headline : `${headline}\n\n${body}`,
    )
    return {
      data: {
        createCommitOnBranch: { commit: { oid, url: `https://github.example.com/${owner}/${name}/commit/${oid}` } },
      },
    }
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // a test that fails does not stop it, and the process has to end
  server.unref()
  return Object.assign(api, { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v3` })
}

function answer(response: ServerResponse, status: number, body: Any): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body))
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
