import { confinement, requireBelow } from '../files/confined.ts'
import { manifestTexts } from '../files/manifest.ts'
import { readEarlier, readObjects } from '../files/read-objects.ts'
import { isPlanned, manifestsOf, planItems } from '../files/rendering.ts'
import { say } from '../files/say.ts'
import { UserError } from '../files/user-error.ts'
import { writeOutput } from '../files/write-output.ts'
import { briefLines } from '../view/index.ts'
import { type ArgocdParameters, argocdParameters } from './argocd-parameters.ts'

/** What a plugin of Argo CD renders, and the folder it stays in. */
interface ArgocdRequest extends ArgocdParameters {
  readonly within: string
}

/**
 * What Argo CD asks of its plugin. Nothing but ARGOCD_APP_PARAMETERS counts, neither what else is in the environment nor other
 * arguments. Throws `UserError` for those, for parameters that are wrong and for paths that lead out of the repository.
 */
function argocdRequest(options: Readonly<Record<string, unknown>>, positionals: readonly string[]): ArgocdRequest {
  const [other] = Object.keys(options).filter((name) => name !== 'argocd')
  if (other !== undefined || positionals.length > 0)
    throw new UserError(
      `--argocd takes everything from the Application's parameters, so that ${other === undefined ? positionals[0] : `--${other}`} cannot be given beside it`,
    )
  const parameters = argocdParameters(process.env.ARGOCD_APP_PARAMETERS)
  const within = confinement()
  const { paths, earlier } = parameters
  for (const path of earlier === undefined ? paths : [...paths, earlier]) requireBelow(within, path)
  return { ...parameters, within }
}

/**
 * Renders as a plugin of Argo CD: manifests alone on stdout, and on stderr what Argo CD shows of a run that failed, and its sidecar logs of
 * any other. Throws `UserError` where nothing would be printed: of an empty answer Argo CD makes an application without objects.
 */
export function renderForArgocd(options: Readonly<Record<string, unknown>>, positionals: readonly string[]): void {
  const { within, paths, set, earlier: folder } = argocdRequest(options, positionals)
  const items = readObjects(paths, { within })
  const earlier = folder === undefined ? undefined : readEarlier(folder, within)
  const plan = planItems(items, { set, earlier, keepsFiles: false })
  const told = briefLines(plan)
    .map((line) => `${line}\n`)
    .join('')
  if (plan.failed) {
    process.exitCode = 1
    say(told)
    return
  }
  if (!isPlanned(plan)) say(told)
  const manifests = manifestsOf(plan)
  if (manifests.length === 0)
    throw new UserError(
      'nothing is left to apply, and an empty answer would have Argo CD delete everything: to remove an application, delete it in Argo CD',
    )
  writeOutput(manifestTexts(manifests).join('---\n'))
  say(told)
}
