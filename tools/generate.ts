/** Writes everything that is derived from fn-config/ and the code tables; with --check only says whether it is current. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { argocdSidecar } from './generate/argocd-sidecar.ts'
import { chartSchema } from './generate/chart-schema.ts'
import { fieldTable } from './generate/field-table.ts'
import { fieldsModule, syncFieldsModule, testFieldsModule } from './generate/fields-module.ts'
import { functionDefinition } from './generate/function-definition.ts'
import { functionDoc, functionDocModule } from './generate/function-doc.ts'
import { resultsPages } from './generate/results-page.ts'
import { schemas, syncSchemas, testSchemas } from './generate/schemas.ts'
import { typesModule } from './generate/types-module.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const check = process.argv.includes('--check')
const stale: string[] = []

const all = schemas()
const sync = syncSchemas()
const test = testSchemas()
put('src/kinds/generated/types.ts', await typesModule(all))
put('src/kinds/generated/fields.ts', fieldsModule(all))
put('src/host/sync/config/generated/types.ts', await typesModule(sync))
put('src/host/sync/config/generated/fields.ts', syncFieldsModule(sync))
put('src/face/expect/generated/types.ts', await typesModule(test))
put('src/face/expect/generated/fields.ts', testFieldsModule(test))
put('deploy/charts/nodefit-sync/values.schema.json', chartSchema(sync.SyncConfig))
put('deploy/argocd/sidecar.yaml', argocdSidecar())
put('fn-config/krm-function-definition.yaml', functionDefinition(all))
put('catalog/kpt/contrib/functions/ts/nodefit/README.md', functionDoc(all))
put('src/host/cli/generated/function-doc.ts', functionDocModule(functionDoc(all)))
for (const [path, text] of resultsPages()) put(path, text)
putBetween('docs/reference/sizing-policy.md', fieldTable(all.SizingPolicy))
putBetween('docs/reference/inventory.md', fieldTable(all.NodeInventory))
putBetween('docs/korder/reservations.md', fieldTable(all.Order))
putBetween('docs/reference/render-config.md', fieldTable(all.RenderConfig))
putBetween('docs/reference/pool-policy.md', fieldTable(all.PoolPolicy))
putBetween('docs/reference/node-action.md', fieldTable(all.NodeAction))
putBetween('docs/reference/action-policy.md', fieldTable(all.ActionPolicy))
putBetween('docs/reference/action-keyring.md', fieldTable(all.ActionKeyring))
putBetween('docs/reference/action-record.md', fieldTable(all.ActionRecord))
putBetween('docs/reference/action-trust.md', fieldTable(all.ActionTrust))
putBetween('docs/deliver/test.md', fieldTable(test.NodefitTest))
putBetween('docs/sync.md', fieldTable(sync.SyncConfig))

if (stale.length > 0) {
  process.stderr.write(`stale: ${stale.join(', ')}; run npm run generate\n`)
  process.exitCode = 1
} else if (check)
  process.stdout.write(`generated files are current (${Object.keys({ ...all, ...sync, ...test }).length} schemas)\n`)

function put(path: string, text: string): void {
  const file = join(root, path)
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return
  if (check) {
    stale.push(path)
    return
  }
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** Replaces what stands between the two markers of a page; a page with a second table has markers of another name for it. */
function putBetween(path: string, table: string, marker = 'fields'): void {
  const file = join(root, path)
  if (!existsSync(file)) return
  const page = readFileSync(file, 'utf8')
  put(path, page.replace(new RegExp(`(<!-- ${marker} -->\n)[\\s\\S]*(<!-- /${marker} -->)`), `$1\n${table}\n$2`))
}
