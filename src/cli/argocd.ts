import type { Plan } from '../plan.ts'
import { briefLines } from '../view/index.ts'
import { type ArgocdParameters, argocdParameters } from './argocd-parameters.ts'
import { confinement, requireBelow } from './confined.ts'
import { Failure } from './failure.ts'

/** What a plugin of Argo CD renders, and the folder it stays in. */
export interface ArgocdRequest extends ArgocdParameters {
  readonly within: string
}

/**
 * What Argo CD asks of its plugin. Nothing but ARGOCD_APP_PARAMETERS counts, neither what else is in the environment nor other
 * arguments. Throws `Failure` for those, for parameters that are wrong and for paths that lead out of the repository.
 */
export function argocdRequest(
  options: Readonly<Record<string, unknown>>,
  positionals: readonly string[],
): ArgocdRequest {
  const [other] = Object.keys(options).filter((name) => name !== 'argocd')
  if (other !== undefined || positionals.length > 0)
    throw new Failure(
      `--argocd takes everything from the Application's parameters, so that ${other === undefined ? positionals[0] : `--${other}`} cannot be given beside it`,
    )
  const parameters = argocdParameters(process.env.ARGOCD_APP_PARAMETERS)
  const within = confinement()
  const { paths, earlier } = parameters
  for (const path of earlier === undefined ? paths : [...paths, earlier]) requireBelow(within, path)
  return { ...parameters, within }
}

/** What Argo CD shows of a run that failed, and its sidecar logs of any other. */
export function argocdText(plan: Plan): string {
  return briefLines(plan)
    .map((line) => `${line}\n`)
    .join('')
}

/** Throws `Failure` where there is nothing to print: of an empty answer Argo CD makes an application without objects. */
export function requireManifests(documents: readonly string[]): void {
  if (documents.length === 0)
    throw new Failure(
      'nothing is left to apply, and an empty answer would have Argo CD delete everything: to remove an application, delete it in Argo CD',
    )
}
