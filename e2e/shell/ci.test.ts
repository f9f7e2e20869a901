/** deploy/ci: the shell parts of both recipes, in a clone of a real repository. */
import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { actionSteps, readAction, type Step } from '../support/action-runner.ts'
import { type Package, writePackage } from '../support/agent-package.ts'
import { serveComments } from '../support/comments-api.ts'
import { COMMAND, inFolder, ROOT, run } from '../support/hosts.ts'
import { has, PATH } from '../support/program.ts'

interface Recipe {
  /** What is run for a change that is proposed, and for one that is on the main branch. */
  readonly vet: readonly Step[]
  readonly diff: readonly Step[]
  readonly render: readonly Step[]
  readonly variables: readonly string[]
  /** The variables of a proposal that merges into the parent of HEAD; forge is the port of its API. */
  readonly proposal: (base: string, forge: number) => readonly string[]
}

const recipe = (name: string) => parse(readFileSync(join(ROOT, 'deploy/ci', `${name}.yaml`), 'utf8'))
const PULL = { 'github.token': 'comment-token', 'github.event.number': '7' }
/** The steps of a job of the workflow, by way of the action. */
const steps = (
  job: { steps: { uses?: string; with: Record<string, string> }[] },
  image = recipe('github').env.NODEFIT,
) =>
  job.steps.flatMap(({ uses = '', with: given }) => {
    if (!uses.startsWith('example/nodefit@')) return []
    const inputs = Object.entries(given).map(([name, value]) => [name, value === '${{ env.NODEFIT }}' ? image : value])
    return actionSteps(Object.fromEntries(inputs), PULL)
  })

/** The jobs of GitLab's component with the inputs of the recipe, or with others. */
function component(given: Readonly<Record<string, string>> = recipe('gitlab').include[0].inputs) {
  const [head = '', body = ''] = readFileSync(join(ROOT, 'templates/nodefit.yml'), 'utf8').split(/^---\n/m)
  const { inputs } = parse(head).spec as { inputs: Record<string, { default?: string }> }
  for (const name of Object.keys(given)) assert.ok(inputs[name], `there is no input ${name}`)
  const text = body.replaceAll(/\$\[\[ inputs\.(\w+) \]\]/g, (_, name: string) => {
    const value = given[name] ?? inputs[name]?.default
    assert.type(value, 'string', `the input ${name} is missing`)
    return value as string
  })
  assert.not.match(text, '$[[')
  return parse(text)
}

function recipes(origin: string): Record<string, Recipe> {
  const github = recipe('github').jobs
  const gitlab = component()
  const { PACKAGE, OUTPUT } = gitlab['.nodefit'].variables
  // a runner of GitLab has one shell for all lines
  const scripts = (job: { script: string[] }): Step[] => [
    { run: job.script.join('\n'), env: [`PACKAGE=${PACKAGE}`, `OUTPUT=${OUTPUT}`] },
  ]
  return {
    github: {
      vet: steps(github.vet),
      diff: steps(github.diff),
      render: steps(github.render),
      variables: [],
      // gh speaks HTTP to this host alone, here by way of a proxy, which is the test's API itself
      proposal: (_base, forge) => [
        'GITHUB_REPOSITORY=platform/agents',
        'GH_HOST=github.localhost',
        `HTTP_PROXY=http://127.0.0.1:${forge}`,
      ],
    },
    gitlab: {
      vet: scripts(gitlab['nodefit-vet']),
      diff: scripts(gitlab['nodefit-diff']),
      render: scripts(gitlab['nodefit-render']),
      variables: [
        'RENDER_TOKEN=secret',
        'CI_SERVER_HOST=gitlab.example.com',
        'CI_PROJECT_PATH=platform/agents',
        'CI_COMMIT_BRANCH=main',
        'GIT_CONFIG_COUNT=1',
        `GIT_CONFIG_KEY_0=url.file://${origin}.insteadOf`,
        'GIT_CONFIG_VALUE_0=https://nodefit:secret@gitlab.example.com/platform/agents.git',
      ],
      proposal: (base, forge) => [
        `CI_MERGE_REQUEST_DIFF_BASE_SHA=${base}`,
        `CI_API_V4_URL=http://127.0.0.1:${forge}/api/v4`,
        'CI_PROJECT_ID=4711',
        'CI_MERGE_REQUEST_IID=7',
        'COMMENT_TOKEN=comment-token',
      ],
    },
  }
}

/** A clone with its origin, and the steps of a recipe, run where docker is the command itself. */
function recipeRoom(folder: string, name: string) {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  symlinkSync(COMMAND, join(bin, 'nodefit'))
  // the image's command, with its folder at the place that the recipe gives it
  const script = [
    '#!/bin/sh',
    'mount="$PWD:/work"',
    'set -- "$@" --',
    'while [ "$1" != --entrypoint ]; do',
    '  case $1 in --volume) [ "$2" = "$mount" ] || exit 9 ;; --workdir) [ "$2" = /work ] || exit 9 ;; esac',
    '  shift',
    'done',
    'program=$2 image=$3',
    `[ "$image" = '${recipe('github').env.NODEFIT}' ] || exit 9`,
    'shift 3',
    'for word; do shift; [ "$word" = -- ] || set -- "$@" "$word"; done',
    'exec "$program" "$@"',
  ]
  writeFileSync(join(bin, 'docker'), `${script.join('\n')}\n`)
  chmodSync(join(bin, 'docker'), 0o755)
  const origin = join(folder, 'origin.git')
  const clone = join(folder, 'clone')
  const git = (cwd: string, ...args: string[]) => {
    const { status, stdout, stderr } = run('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
      cwd,
    })
    assert.is(status, 0, stderr)
    return stdout.trim()
  }
  git(folder, 'init', '--quiet', '--bare', '--initial-branch=main', origin)
  git(folder, 'clone', '--quiet', origin, clone)
  git(clone, 'checkout', '--quiet', '-B', 'main')
  const { [name]: found } = recipes(origin)
  if (found === undefined) throw new Error(name)
  /** The steps as a runner runs them, each in a shell that stops at the first error. */
  const does = async (all: readonly Step[], more: readonly string[] = []) => {
    let last = { status: 0, stdout: '', stderr: '' }
    for (const { run: script, env } of all) {
      last = await runStep(script, clone, bin, [...found.variables, ...more, ...env])
      if (last.status !== 0) break
    }
    return last
  }
  const commits = (what: Package) => {
    writePackage(clone, what)
    git(clone, 'add', 'package')
    git(clone, 'commit', '--quiet', '--message', 'A change')
    git(clone, 'push', '--quiet', 'origin', 'HEAD:main')
  }
  const head = () => git(origin, 'rev-parse', 'main')
  return { ...found, git, does, commits, head, clone, origin }
}

/** Runs a step beside the servers of this process. */
function runStep(step: string, cwd: string, bin: string, variables: readonly string[]) {
  return new Promise<{ status: number; stdout: string; stderr: string }>((resolve) => {
    const env = { ...process.env, PATH: `${bin}:${PATH}` }
    execFile('env', [...variables, 'bash', '-e', '-o', 'pipefail', '-c', step], { cwd, env }, (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : Number(error.code ?? 255), stdout, stderr }),
    )
  })
}

suite('the CI recipes', (test) => {
  test('both run the image of this version, which is built from the Dockerfile, and act on the main branch alone', () => {
    assert.equal(recipe('github').on, { pull_request: null, push: { branches: ['main'] } })
    assert.equal(component()['nodefit-render'].rules, [{ if: '$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH' }])
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
    const image = `registry.example.com/nodefit:${version}`
    assert.is(recipe('github').env.NODEFIT, image)
    assert.equal(component()['.nodefit'].image, { name: `${image}-jobs`, entrypoint: [''] })
    assert.is(recipe('gitlab').include[0].component, `$CI_SERVER_FQDN/platform/nodefit/nodefit@${version}`)
    for (const job of Object.values(recipe('github').jobs) as { steps: { uses: string }[] }[])
      assert.is(job.steps.at(-1)?.uses, `example/nodefit@v${version}`)
    for (const { vet, render } of Object.values(recipes('')))
      assert.not.match([...vet, ...render].map(({ run: script }) => script).join('\n'), /npm |curl |wget /)
  })
  test('what vets may only read, and what comments may write comments alone', () => {
    const { permissions, jobs } = recipe('github')
    assert.equal(permissions, { contents: 'read' })
    assert.is(jobs.vet.permissions, undefined)
    assert.equal(jobs.render.permissions, { contents: 'write' })
    assert.is(jobs.vet.steps[0].with['persist-credentials'], false)
    assert.equal(jobs.diff.permissions, { contents: 'read', 'pull-requests': 'write' })
    assert.is(jobs.diff.steps[0].with['persist-credentials'], false)
    const [rendering, commenting] = steps(jobs.diff)
    assert.not.match((rendering?.env ?? []).join(), 'token', 'what renders the change of a stranger has no token')
    assert.match(rendering?.run ?? '', '--network none')
    assert.not.match(commenting?.run ?? '', 'docker')
    for (const job of ['nodefit-vet', 'nodefit-diff'])
      assert.not.match(JSON.stringify(component()[job]), 'RENDER_TOKEN')
  })
  test('the action refuses inputs that it does not know or that are missing', () => {
    assert.throws(() => actionSteps({ command: 'vet' }, PULL), 'the input image is missing')
    assert.throws(() => actionSteps({ command: 'vet', image: 'x', packages: 'y' }, PULL), 'there is no input packages')
    assert.equal(Object.keys(readAction().inputs), ['command', 'image', 'package', 'output', 'token'])
    const folders = { package: 'a b', output: 'c;d' }
    const [step] = actionSteps({ command: 'render', image: 'i', ...folders }, PULL)
    assert.equal(step?.env, ['NODEFIT=i', 'PACKAGE=a b', 'OUTPUT=c;d'])
    assert.equal(
      actionSteps({ command: 'diff', image: 'i' }, PULL).map(({ env }) => env.length),
      [3, 2],
    )
    const { variables } = component({ image: 'i', ...folders })['.nodefit']
    assert.equal([variables.PACKAGE, variables.OUTPUT], ['a b', 'c;d'])
  })
  if (!has('git') || !has('bash')) return
  for (const name of Object.keys(recipes(''))) {
    test(`${name}: renders and pushes once, commits nothing where nothing changed or the render fails, and vets`, () =>
      inFolder(async (folder) => {
        const { git, does, commits, head, clone, origin, vet, render } = recipeRoom(folder, name)
        commits({ types: ['m5.large', 'm5.xlarge', 'r5.large'] })
        const unrendered = await does(vet)
        assert.is(unrendered.status, 1, unrendered.stderr)
        assert.match(
          unrendered.stdout,
          'DaemonSet ops/agent-m5-large (rendered/daemonset.apps_ops_agent-m5-large.yaml) is missing',
        )
        assert.match(unrendered.stdout, 'to update it, run nodefit build package --output-dir rendered\n')
        assert.is((await does(render)).status, 0)
        assert.is(git(origin, 'log', '-1', '--format=%s', 'main'), 'Render the agents')
        assert.match(git(origin, 'show', 'main:rendered/kustomization.yaml'), 'daemonset.apps_ops_agent-r5-large.yaml')
        assert.is((await does(vet)).status, 0)

        const rendered = head()
        assert.is((await does(render)).status, 0)
        assert.is(head(), rendered)

        commits({ types: ['m5.large'] })
        const changed = head()
        const { status, stderr } = await does(render)
        assert.is(status, 1)
        assert.match(stderr, 'GuardTripped')
        assert.is(head(), changed)
        assert.is(git(clone, 'status', '--porcelain'), '')
      }))
    if (name === 'github' && !has('gh')) continue
    test(`${name}: comments what a change does, replaces the comment by the next, and no comment of a person`, () =>
      inFolder(async (folder) => {
        const { git, does, commits, clone, diff, proposal, render } = recipeRoom(folder, name)
        const forge = await serveComments()
        const quote = '<!-- nodefit diff -->\nwhat a person quotes'
        forge.comments.push({ id: 1, author: 'person', body: quote })
        for (let id = 2; id <= 230; id++)
          forge.comments.push({ id, author: id % 2 === 0 ? 'job' : 'person', body: 'x' })
        /** Merges a change into main as a forge does before it runs the jobs, and runs those. */
        const proposes = async (what: Package) => {
          const base = git(clone, 'rev-parse', 'main')
          git(clone, 'checkout', '--quiet', '-B', 'change', 'main')
          writePackage(clone, what)
          git(clone, 'commit', '--quiet', '--all', '--allow-empty', '--message', 'A change')
          git(clone, 'checkout', '--quiet', '-B', 'merged', 'main')
          git(clone, 'merge', '--quiet', '--no-ff', '--message', 'Merge', 'change')
          const ended = await does(diff, proposal(base, forge.port))
          git(clone, 'checkout', '--quiet', '--force', 'main')
          return ended
        }
        const isCommented = (pattern: RegExp) => {
          assert.is(forge.comments.length, 231)
          assert.match(forge.comments[230]?.body ?? '', pattern)
        }
        try {
          commits({ types: ['m5.large', 'm5.xlarge'] })
          const first = await proposes({ types: ['m5.large', 'm5.xlarge', 'r5.large'] })
          assert.is(first.status, 0, first.stderr)
          // nothing is rendered on main yet: compared with what its package renders to
          isCommented(/^<!-- nodefit diff -->\n### nodefit: 1 object added, \d changed, 0 removed\n/)

          assert.is((await does(render)).status, 0)
          git(clone, 'pull', '--quiet', 'origin', 'main')
          const second = await proposes({ types: ['m5.xlarge', 'm5.large'] })
          assert.is(second.status, 0, second.stderr)
          isCommented(/^<!-- nodefit diff -->\n### nodefit: 0 objects added, 0 changed, 0 removed\n/)

          const broken = await proposes({ spec: { nodeGroupLabel: 'example.com/typo' } })
          assert.is(broken.status, 0, broken.stderr)
          isCommented(/^<!-- nodefit diff -->\n### nodefit: \d errors?, nothing is rendered\n/)
          assert.is(forge.comments[0]?.body, quote)
          assert.is(forge.comments.filter(({ body }) => body === 'x').length, 229)
        } finally {
          await forge.stop()
        }
      }))
  }
})
