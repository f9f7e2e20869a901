import { checkTemplate } from './check-template.ts'
import type { DaemonSet, TemplateReader } from './template.ts'

/** A DaemonSet is a template as it stands; nothing in it is left open. */
export const readDaemonSet: TemplateReader = (item, { baseName }) => {
  const problems = checkTemplate(item.object, item.object)
  if (problems.length > 0) return { findings: problems }
  return {
    value: {
      item,
      daemonSet: item.object as DaemonSet,
      naming: { target: baseName, suffix: '' },
      complete: (daemonSet) => ({ daemonSet, findings: [] }),
    },
    findings: [],
  }
}
