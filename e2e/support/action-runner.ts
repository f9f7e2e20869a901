import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { ROOT } from './hosts.ts'

/** What a runner runs of a step: its script, and its own variables as `NAME=value`. */
export interface Step {
  readonly run: string
  readonly env: readonly string[]
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly required?: boolean; readonly default?: string }>>
  readonly runs: {
    readonly using: string
    readonly steps: readonly {
      readonly if: string
      readonly shell: string
      readonly run: string
      readonly env: object
    }[]
  }
}

/** The composite action of this repository. */
export const readAction = (): Action => parse(readFileSync(join(ROOT, 'action.yml'), 'utf8'))

/**
 * The steps of the action for the inputs of a workflow, as GitHub's runner takes them. Throws for an input that is missing or unknown,
 * for an expression that names something else than inputs and the context, and for another shell than bash.
 */
export function actionSteps(
  given: Readonly<Record<string, string>>,
  context: Readonly<Record<string, string>>,
): Step[] {
  const { inputs, runs } = readAction()
  if (runs.using !== 'composite') throw new Error(`runs.using is ${runs.using}`)
  for (const name of Object.keys(given)) if (inputs[name] === undefined) throw new Error(`there is no input ${name}`)
  const known: Record<string, string> = { ...context }
  for (const [name, { required, default: usual }] of Object.entries(inputs)) {
    const value = given[name] ?? (usual === undefined ? undefined : evaluate(usual, context))
    if (value === undefined && required) throw new Error(`the input ${name} is missing`)
    known[`inputs.${name}`] = value ?? ''
  }
  return runs.steps.flatMap(({ if: condition, shell, run, env }) => {
    const [, name = '', value] = /^(inputs\.\w+) == '(\w+)'$/.exec(condition) ?? []
    if (known[name] === undefined) throw new Error(`a condition that is not understood: ${condition}`)
    if (shell !== 'bash') throw new Error(`shell ${shell}`)
    if (run.includes('${{')) throw new Error('a script holds an expression, which an input could break out of')
    const variables = Object.entries(env).map(([key, text]) => `${key}=${evaluate(String(text), known)}`)
    return known[name] === value ? [{ run, env: variables }] : []
  })
}

function evaluate(text: string, known: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{\{ *([\w.]+) *\}\}/g, (expression, name: string) => {
    const value = known[name]
    if (value === undefined) throw new Error(`an expression that is not understood: ${expression}`)
    return value
  })
}
