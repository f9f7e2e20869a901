import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** A comment as the test sees it, whichever forge has it. */
export interface Comment {
  readonly id: number
  readonly author: 'job' | 'person'
  body: string
}

export interface CommentsApi {
  readonly port: number
  /** The comments of the one proposal that there is; a test adds those of people. */
  readonly comments: Comment[]
  stop(): Promise<void>
}

const PAGE = 100
const TOKEN = 'comment-token'

/**
 * Serves the comments of GitHub's pull request 7 of `platform/agents`, and those of GitLab's merge request 7 of project 4711, in the shapes of
 * their documentation: pages of 100, oldest first at GitHub, newest first at GitLab. Whatever lacks the token `comment-token` is refused.
 */
export async function serveComments(): Promise<CommentsApi> {
  const comments: Comment[] = []
  const gitHub = ({ id, author, body }: Comment) => ({
    id,
    body,
    user: { login: author === 'job' ? 'github-actions[bot]' : 'a-person', type: author === 'job' ? 'Bot' : 'User' },
  })
  const gitLab = ({ id, author, body }: Comment) => ({ id, body, author: { id: author === 'job' ? 1 : 2 } })
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', `http://${request.headers.host}`)
    const content = await contentOf(request)
    const say = (status: number, answer: object, headers: Record<string, string> = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(answer))
    const token = request.headers['private-token'] ?? request.headers.authorization?.replace('token ', '')
    if (token !== TOKEN) return void say(401, { message: '401 Unauthorized' })
    if (url.pathname === '/api/v4/user') return void say(200, { id: 1 })
    const [, list, id] =
      /^(\/repos\/platform\/agents\/issues\/7\/comments|\/repos\/platform\/agents\/issues\/comments|\/api\/v4\/projects\/4711\/merge_requests\/7\/notes)(?:\/(\d+))?$/.exec(
        url.pathname,
      ) ?? []
    if (list === undefined) return void say(404, { message: '404 Not Found' })
    const isGitHub = list.startsWith('/repos/')
    const shown = (one: Comment) => (isGitHub ? gitHub(one) : gitLab(one))
    if (request.method === 'GET' && id === undefined) {
      const page = Number(url.searchParams.get('page') ?? 1)
      const all = isGitHub ? comments : comments.toReversed()
      const more = all.length > page * PAGE
      url.searchParams.set('page', String(page + 1))
      return void say(200, all.slice((page - 1) * PAGE, page * PAGE).map(shown), {
        ...(isGitHub
          ? more
            ? { link: `<${url.href}>; rel="next"` }
            : {}
          : { 'x-next-page': more ? String(page + 1) : '' }),
      })
    }
    if (request.method === 'POST' && id === undefined) {
      const made: Comment = { id: comments.length + 1, author: 'job', body: content.body }
      comments.push(made)
      return void say(201, shown(made))
    }
    const found = comments.find((one) => one.id === Number(id))
    if (request.method !== (isGitHub ? 'PATCH' : 'PUT') || found?.author !== 'job')
      return void say(403, { message: '403 Forbidden' })
    found.body = content.body
    say(200, shown(found))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // a test that fails does not stop it, and the process has to end
  server.unref()
  return {
    port: (server.address() as AddressInfo).port,
    comments,
    stop: async () => {
      server.close()
      server.closeAllConnections()
      await pause(0)
    },
  }
}

async function contentOf(request: IncomingMessage): Promise<{ body: string }> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return chunks.length === 0 ? { body: '' } : JSON.parse(Buffer.concat(chunks).toString())
}
