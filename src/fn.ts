import { runFunction } from './cli/run-function.ts'
import { writeAll } from './cli/write-all.ts'
import { render } from './render.ts'

const HELP = `nodefit-fn renders DaemonSets sized per node group. It is a KRM function: a host
gives it a ResourceList on stdin and takes one from its stdout.

  kpt fn render --allow-exec PKG           with exec: nodefit-fn in the Kptfile
  kpt fn eval PKG --exec nodefit-fn -- target=fluent-bit

Its functionConfig is a SizingPolicy, a RenderConfig, a ConfigMap of flat keys,
or nothing: then every SizingPolicy of the package is rendered.
`

if (process.argv.includes('--help') || process.argv.includes('-h')) writeAll(1, HELP)
else void runFunction(render)
