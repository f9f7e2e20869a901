const LONGEST = 2000
const PROGRESS =
  /^(?:remote: )?(?:Enumerating|Counting|Compressing|Writing|Receiving|Unpacking|Resolving|Updating|Total|Delta)\b.*(?:\d+%|\d+ \(delta|objects: \d+)/
const UNITS: Readonly<Record<string, number>> = { bytes: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 }

/** What a program has said to people, without progress and without characters that would steer a terminal. */
export function saidOf(text: string): string {
  const lines = text
    .split(/[\r\n]+/)
    .map((line) => line.replace(/(?!\t)\p{Cc}(?:\[[0-9;?]*[A-Za-z])?/gu, '').trimEnd())
    .filter((line) => line !== '' && line !== 'remote:' && !PROGRESS.test(line))
  const said = lines.join('\n')
  return said.length <= LONGEST ? said : `${said.slice(0, LONGEST)} …`
}

/** Bytes of objects that git's progress says it has sent or received, to the precision it says them in. */
export function bytesSaid(text: string): number {
  const sizes = text.matchAll(
    /(?:Writing|Receiving|Unpacking) objects: 100%[^\r\n]*?, ([\d.]+) (bytes|KiB|MiB|GiB)[^\r\n]*done/g,
  )
  return [...sizes].reduce((sum, [, size, unit]) => sum + Number(size) * (UNITS[unit ?? ''] ?? 0), 0)
}
