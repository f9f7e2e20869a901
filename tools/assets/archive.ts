import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Writes files under their names into a tar.gz with one owner, mode and time: the same files give the same bytes. Needs
 * GNU tar and gzip.
 */
export function writeArchive(output: string, files: Readonly<Record<string, string>>): void {
  const folder = mkdtempSync(join(tmpdir(), 'nodefit-archive-'))
  try {
    for (const [name, file] of Object.entries(files)) copyFileSync(file, join(folder, name))
    const alike = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--format=gnu']
    execFileSync('tar', [
      '--create',
      '--file',
      output,
      '--use-compress-program=gzip -n',
      ...alike,
      '-C',
      folder,
      ...Object.keys(files).sort(),
    ])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
