import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'postject'
import { ROOT } from '../build/bundle.ts'
import { blobOf } from './blob.ts'
import { nodeBinary } from './node-binary.ts'
import { blobWriter, runsHere, type Target } from './targets.ts'

/** What Node.js looks for in itself: its name of the blob, and the words whose end says that there is one. */
const RESOURCE = 'NODE_SEA_BLOB'
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'
const SIGNER = join(ROOT, '.cache/hosts/macho-sign')

/**
 * Writes the executable of a target to a file: its Node.js with the programs of dist/ inside. The same dist/ gives the
 * same bytes.
 */
export async function writeExecutable(target: Target, file: string): Promise<void> {
  const writer = nodeBinary(blobWriter(target, process)).program
  const blob = await blobOf(writer, runsHere(target, process))
  rmSync(file, { force: true })
  copyFileSync(nodeBinary(target.node).program, file)
  chmodSync(file, 0o755)
  await inject(file, RESOURCE, blob, {
    sentinelFuse: FUSE,
    ...(target.os === 'darwin' && { machoSegmentName: 'NODE_SEA' }),
  })
  // what it was signed for has changed, and arm64 runs nothing that is not signed
  if (target.os === 'darwin') execFileSync(SIGNER, ['dev.nodefit.nodefit', file], { stdio: 'pipe' })
}
