/** deploy/ci: the shell parts of both recipes, in a clone of a real repository. */
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { type Package, writePackage } from '../support/agent-package.ts'
import { COMMAND, inFolder, ROOT, run } from '../support/hosts.ts'
import { has } from '../support/program.ts'

interface Recipe {
  /** What is run for a change that is proposed, and for one that is on the main branch. */
  readonly vet: readonly string[]
  readonly render: readonly string[]
  readonly variables: readonly string[]
}

const recipe = (name: string) => parse(readFileSync(join(ROOT, 'deploy/ci', `${name}.yaml`), 'utf8'))
const runs = (job: { steps: { run?: string }[] }) => job.steps.flatMap(({ run: line }) => line ?? [])

function recipes(origin: string): Record<string, Recipe> {
  const github = recipe('github').jobs
  const gitlab = recipe('gitlab')
  const scripts = (job: { script: string[] }) => job.script
  return {
    github: {
      vet: runs(github.vet),
      render: runs(github.render),
      variables: [`NODEFIT=${recipe('github').env.NODEFIT}`],
    },
    gitlab: {
      vet: scripts(gitlab.vet),
      render: scripts(gitlab.render),
      variables: [
        'RENDER_TOKEN=secret',
        'CI_SERVER_HOST=gitlab.example.com',
        'CI_PROJECT_PATH=platform/agents',
        'CI_COMMIT_BRANCH=main',
        'GIT_CONFIG_COUNT=1',
        `GIT_CONFIG_KEY_0=url.file://${origin}.insteadOf`,
        'GIT_CONFIG_VALUE_0=https://nodefit:secret@gitlab.example.com/platform/agents.git',
      ],
    },
  }
}

suite('the CI recipes', (test) => {
  test('both run the image of this version, which is built from the Dockerfile, and act on the main branch alone', () => {
    assert.equal(recipe('github').on, { pull_request: null, push: { branches: ['main'] } })
    assert.equal(recipe('gitlab').render.rules, [{ if: '$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH' }])
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
    const image = `registry.example.com/nodefit:${version}`
    assert.is(recipe('github').env.NODEFIT, image)
    assert.equal(recipe('gitlab')['.nodefit'].image, { name: image, entrypoint: [''] })
    for (const { vet, render } of Object.values(recipes('')))
      assert.not.match([...vet, ...render].join('\n'), /npm |curl |wget /)
  })
  test('what vets may only read', () => {
    const { permissions, jobs } = recipe('github')
    assert.equal(permissions, { contents: 'read' })
    assert.is(jobs.vet.permissions, undefined)
    assert.equal(jobs.render.permissions, { contents: 'write' })
    assert.is(jobs.vet.steps[0].with['persist-credentials'], false)
    assert.not.match(JSON.stringify(recipe('gitlab').vet), 'RENDER_TOKEN')
  })
  if (!has('git') || !has('bash')) return
  for (const name of Object.keys(recipes(''))) {
    test(`${name}: renders and pushes once, commits nothing where nothing changed or the render fails, and vets`, () =>
      inFolder((folder) => {
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
          const { status, stdout, stderr } = run(
            'git',
            ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args],
            { cwd },
          )
          assert.is(status, 0, stderr)
          return stdout.trim()
        }
        git(folder, 'init', '--quiet', '--bare', '--initial-branch=main', origin)
        git(folder, 'clone', '--quiet', origin, clone)
        git(clone, 'checkout', '--quiet', '-B', 'main')
        const { [name]: found } = recipes(origin)
        const { vet = [], render = [], variables = [] } = found ?? {}
        /** The steps as a runner runs them: each in a shell of its own that stops at the first error. */
        const does = (steps: readonly string[]) => {
          let last = run('true', [])
          for (const step of steps) {
            last = run('env', [...variables, 'bash', '-e', '-o', 'pipefail', '-c', step], { cwd: clone, bin })
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

        commits({ types: ['m5.large', 'm5.xlarge', 'r5.large'] })
        const unrendered = does(vet)
        assert.is(unrendered.status, 1, unrendered.stderr)
        assert.match(
          unrendered.stdout,
          'DaemonSet ops/agent-m5-large (rendered/daemonset.apps_ops_agent-m5-large.yaml) is missing',
        )
        assert.match(unrendered.stdout, 'to update it, run nodefit build package --output-dir rendered\n')
        assert.is(does(render).status, 0)
        assert.is(git(origin, 'log', '-1', '--format=%s', 'main'), 'Render the agents')
        assert.match(git(origin, 'show', 'main:rendered/kustomization.yaml'), 'daemonset.apps_ops_agent-r5-large.yaml')
        assert.is(does(vet).status, 0)

        const rendered = head()
        assert.is(does(render).status, 0)
        assert.is(head(), rendered)

        commits({ types: ['m5.large'] })
        const changed = head()
        const { status, stderr } = does(render)
        assert.is(status, 1)
        assert.match(stderr, 'GuardTripped')
        assert.is(head(), changed)
        assert.is(git(clone, 'status', '--porcelain'), '')
      }))
  }
})
