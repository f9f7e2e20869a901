import { fieldTable } from './field-table.ts'
import { type Schema, visitFields } from './schemas.ts'

const OVERVIEW = `# nodefit

## Overview

<!--mdtogo:Short-->

Renders one DaemonSet per node group, each sized as a share of what its nodes can give.

<!--mdtogo-->

From an inventory of the nodes (NodeInventory, or Node objects), a DaemonSet as template, and a SizingPolicy the function renders a DaemonSet for each
group of nodes, with requests and limits that fit them. Every node that the template runs on has exactly one of them; that is proved on every run. It
also renders korder Orders and Tickets, claims of node pools, and signed actions on nodes.

It needs neither network nor environment, is deterministic, and gives the same bytes when its output is its input.

## Usage

<!--mdtogo:Long-->

Declaratively, in the Kptfile of a package with policy, inventory and template:

    pipeline:
      mutators:
        - image: gcr.io/kpt-fn-contrib/nodefit:unstable

Imperatively, as a look at a package without a policy:

    kpt fn eval PACKAGE --image gcr.io/kpt-fn-contrib/nodefit:unstable -- \\
      target=fluent-bit requestCPU=2 requestMemory=2 limitCPU=none limitMemory=5

Where \`nodefit-fn\` is installed, \`exec: nodefit-fn\` and \`--exec nodefit-fn\` stand in place of the image.

On an error the exit code is 1, the items are as they came, and each problem is a result with a code, the object, the field and the file. As a
validator, with a RenderConfig that sets \`check: true\`, it fails where the package is not what it would render.

### FunctionConfig

| Kind | What is rendered |
|---|---|
| none | every policy of the package |
| \`SizingPolicy\` (nodefit.dev/v1alpha1) | that policy |
| \`RenderConfig\` (nodefit.dev/v1alpha1) | every policy, with these options |
| \`ConfigMap\` | a policy of the flat keys in \`data\` |
`

/** What `nodefit-fn doc` prints, and the README in kpt's catalog: what the function does, and every field that it takes. */
export function functionDoc(schemas: Record<string, Schema>): string {
  const { SizingPolicy = {}, RenderConfig = {} } = schemas
  return [
    OVERVIEW,
    '#### Flat keys of a ConfigMap\n',
    `${flatKeys(SizingPolicy)}\n`,
    '#### Fields of a SizingPolicy, below spec\n',
    `${fieldTable(SizingPolicy)}\n`,
    '#### Fields of a RenderConfig, below spec\n',
    `${fieldTable(RenderConfig)}\n`,
    '<!--mdtogo-->\n',
  ].join('\n')
}

function flatKeys(policy: Schema): string {
  const rows = ['| Key | Field of a SizingPolicy |', '|---|---|']
  visitFields(policy, (path, field) => {
    if (field['x-flat'] !== undefined) rows.push(`| \`${field['x-flat']}\` | \`${path}\` |`)
    if (path === 'spec.targetRef.kind') rows.push(`| \`kind\` | \`${path}\` |`)
  })
  return rows.join('\n')
}

/** The module that the function prints it from, without the marks of the catalog. */
export function functionDocModule(doc: string): string {
  const text = doc.replaceAll(/<!--mdtogo(?::\w+)?-->\n+/g, '')
  const lines = text.split('\n').map((line) => `  ${JSON.stringify(line)},`)
  return `// Generated from fn-config/ by npm run generate. Do not edit.\n\n/** What \`nodefit-fn doc\` prints. */\nexport const FUNCTION_DOC = [\n${lines.join('\n')}\n].join('\\n')\n`
}
