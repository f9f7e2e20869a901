/**
 * Lays out what an image has of its system, without a shell or a package manager: `--system` a folder with a Debian,
 * `--output` where to, and the programs; `--data` names files and folders beside them, `--link PATH=TARGET` links. What
 * they are linked with comes along, the licences of the packages they are from, and what scanners look for.
 */
import {
  chmodSync,
  cpSync,
  existsSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { imageBill } from './bill.ts'
import { packagesOf } from './debian.ts'
import { processorOf } from './elf.ts'
import { closure } from './files.ts'

const TRIPLETS: Readonly<Record<string, string>> = { amd64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' }
/**
 * Who may run here: root owns the files, the others are nobody, and Argo CD's sidecar, which ssh and git want to know
 * by name.
 */
const USERS =
  'root:x:0:0:root:/:/nonexistent\nargocd:x:999:999::/nonexistent:/nonexistent\nnobody:x:65534:65534::/nonexistent:/nonexistent\n'
const GROUPS = 'root:x:0:\nargocd:x:999:\nnogroup:x:65534:\n'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    system: { type: 'string', default: '/' },
    output: { type: 'string', default: 'root' },
    data: { type: 'string', multiple: true, default: [] },
    link: { type: 'string', multiple: true, default: [] },
  },
})
const { system: folder, output, data, link: links } = values
const [program = ''] = positionals
// the system says what it is: a builder may say nothing of it, or something else
const arch = processorOf(readFileSync(join(folder, program))) ?? 'another processor'
const triplet = TRIPLETS[arch]
if (triplet === undefined) throw new Error(`${program} is for ${arch}, for which there is no image`)
// what is a link in a Debian of today is one here
const FOLDERS = { bin: 'usr/bin', sbin: 'usr/sbin', lib: 'usr/lib', lib64: 'usr/lib64' }
for (const [link, target] of Object.entries(FOLDERS)) {
  mkdirSync(join(output, target), { recursive: true })
  symlinkSync(target, join(output, link))
}
const files = closure({ folder, triplet }, positionals)
for (const { path, link } of files) {
  mkdirSync(dirname(join(output, path)), { recursive: true })
  if (link === undefined) cpSync(join(folder, path), join(output, path))
  else if (!existsSync(join(output, path))) symlinkSync(link, join(output, path))
}
for (const path of data) cpSync(join(folder, path), join(output, path), { recursive: true, dereference: true })
const packages = packagesOf(folder, [...files.map(({ path }) => path), ...data])
for (const { name, paragraph } of packages) {
  write(`var/lib/dpkg/status.d/${name}`, `${paragraph}\n`)
  const licence = `usr/share/doc/${name}/copyright`
  if (existsSync(join(folder, licence))) write(licence, readFileSync(join(folder, licence), 'utf8'))
}
for (const [path = '', target = ''] of links.map((text) => text.split('='))) {
  mkdirSync(dirname(join(output, path)), { recursive: true })
  symlinkSync(target, join(output, path))
}
write('etc/os-release', readFileSync(join(folder, 'etc/os-release'), 'utf8'))
write('etc/passwd', USERS)
write('etc/group', GROUPS)
write('etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns\n')
write('usr/share/doc/nodefit/system.cdx.json', imageBill(packages, process.versions.node, arch))
mkdirSync(join(output, 'tmp'))
chmodSync(join(output, 'tmp'), 0o1777)
settle(output)

function write(path: string, text: string): void {
  mkdirSync(dirname(join(output, path)), { recursive: true })
  writeFileSync(join(output, path), text)
}

/** One time for all, which is also that of the image: built again it has the same bytes. */
function settle(at: string): void {
  const time = Number(process.env.SOURCE_DATE_EPOCH ?? 0)
  for (const entry of readdirSync(at, { withFileTypes: true })) {
    const path = join(at, entry.name)
    if (entry.isDirectory()) settle(path)
    lutimesSync(path, time, time)
  }
}
