import { memberOf } from '../../../krm/map.ts'

/** What a delivery says of a push; both are absent where it says nothing that is understood. */
export interface NamedPush {
  /** The whole name of the branch or tag, such as `refs/heads/main`. */
  readonly ref?: string
  /** The head of the branch after the push. */
  readonly commit?: string
}

/**
 * Reads the push that GitHub, GitLab, Gitea and Forgejo describe in the same two members; GitHub may send the JSON as a
 * form. A ping and any other event has neither.
 */
export function namedPush(body: string): NamedPush {
  const payload = parsedJson(body.startsWith('payload=') ? (new URLSearchParams(body).get('payload') ?? '') : body)
  const [ref, commit] = [memberOf(payload, 'ref'), memberOf(payload, 'after')]
  return {
    ...(typeof ref === 'string' && ref.startsWith('refs/') ? { ref } : {}),
    ...(typeof commit === 'string' ? { commit } : {}),
  }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
