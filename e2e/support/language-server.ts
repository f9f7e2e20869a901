import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ROOT } from './hosts.ts'

const SERVER = join(ROOT, 'node_modules/yaml-language-server/bin/yaml-language-server')
/** As editors send them; the store of schemas is on the network. */
const SETTINGS = { yaml: { validate: true, completion: true, hover: true, schemaStore: { enable: false } } }

export interface Diagnostic {
  readonly message: string
  readonly range: { readonly start: { readonly line: number } }
}

interface Message {
  readonly id?: number
  readonly method?: string
  readonly result?: unknown
  readonly params?: { readonly uri?: string; readonly diagnostics?: readonly Diagnostic[]; readonly items?: unknown[] }
}

export interface Editor {
  /** What the editor underlines in a file of this text. */
  open(file: string, text: string): Promise<readonly Diagnostic[]>
  /** The labels that it offers at a place, by line and column from 0. */
  complete(file: string, line: number, character: number): Promise<readonly string[]>
  /** What it shows of the word at a place. */
  hover(file: string, line: number, character: number): Promise<string>
}

/** Starts the YAML language server of VS Code, Neovim and others, and ends it when the body has run. */
export async function withEditor(folder: string, body: (editor: Editor) => Promise<void>): Promise<void> {
  const server = spawn(process.execPath, [SERVER, '--stdio'], { stdio: ['pipe', 'pipe', 'ignore'] })
  const answers = new Map<number, (result: unknown) => void>()
  const opened = new Map<string, (diagnostics: readonly Diagnostic[]) => void>()
  let last = 0
  const write = (message: object) => {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message })
    server.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
  }
  const request = <T>(method: string, params: object) =>
    new Promise<T>((resolve) => {
      answers.set(++last, resolve as (result: unknown) => void)
      write({ id: last, method, params })
    })
  readMessages(server.stdout, ({ id, method, result, params }) => {
    if (method === 'textDocument/publishDiagnostics') opened.get(params?.uri ?? '')?.(params?.diagnostics ?? [])
    else if (method === 'workspace/configuration')
      write({ id, result: params?.items?.map((_, index) => (index === 0 ? SETTINGS.yaml : {})) })
    else if (method !== undefined && id !== undefined) write({ id, result: null })
    else if (id !== undefined) answers.get(id)?.(result)
  })
  const uriOf = (file: string) => pathToFileURL(join(folder, file)).href
  const at = (file: string, line: number, character: number) => ({
    textDocument: { uri: uriOf(file) },
    position: { line, character },
  })
  try {
    const root = pathToFileURL(folder).href
    const capabilities = { workspace: { configuration: true, workspaceFolders: true } }
    await request('initialize', {
      processId: process.pid,
      rootUri: root,
      workspaceFolders: [{ uri: root, name: 'w' }],
      capabilities,
    })
    write({ method: 'initialized', params: {} })
    write({ method: 'workspace/didChangeConfiguration', params: { settings: SETTINGS } })
    await body({
      open: (file, text) =>
        new Promise((resolve) => {
          opened.set(uriOf(file), resolve)
          write({
            method: 'textDocument/didOpen',
            params: { textDocument: { uri: uriOf(file), languageId: 'yaml', version: 1, text } },
          })
        }),
      complete: async (...place) => {
        const { items } = await request<{ items: { label: string }[] }>('textDocument/completion', at(...place))
        return items.map(({ label }) => label)
      },
      hover: async (...place) => {
        const shown = await request<{ contents?: { value?: string } } | null>('textDocument/hover', at(...place))
        return shown?.contents?.value ?? ''
      },
    })
  } finally {
    server.kill()
  }
}

/** Reads messages with their headers from a stream. */
function readMessages(stream: NodeJS.ReadableStream, take: (message: Message) => void): void {
  let rest = Buffer.alloc(0)
  stream.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      const end = rest.indexOf('\r\n\r\n')
      if (end < 0) return
      const length = Number(/Content-Length: (\d+)/i.exec(rest.toString('latin1', 0, end))?.[1])
      if (rest.length < end + 4 + length) return
      take(JSON.parse(rest.toString('utf8', end + 4, end + 4 + length)))
      rest = rest.subarray(end + 4 + length)
    }
  })
}
