import { writeOutput } from '../files/stdio.ts'
import { UserError } from '../files/user-error.ts'
import { type Command, type Commands, readArguments } from './command.ts'
import { bashScript } from './completion/bash.ts'
import { fishScript } from './completion/fish.ts'
import { zshScript } from './completion/zsh.ts'

export const COMPLETION_HELP = `nodefit completion bash|zsh|fish

Prints a script that lets a shell complete commands, options and files.

  source <(nodefit completion bash)                           in ~/.bashrc
  source <(nodefit completion zsh)         in ~/.zshrc, after its compinit
  nodefit completion fish > ~/.config/fish/completions/nodefit.fish
`

const SHELLS: Readonly<Record<string, (commands: Commands) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}

/** `nodefit completion`: what a shell needs to complete these commands, which are asked for when it runs. */
export function completionOf(commands: () => Commands): Command {
  return {
    about: 'completion for a shell',
    help: COMPLETION_HELP,
    options: {},
    operands: Object.keys(SHELLS),
    run: (args) => {
      const { positionals } = readArguments('nodefit completion', args, {})
      const [shell = ''] = positionals
      const script = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined
      if (script === undefined || positionals.length > 1)
        throw new UserError(`name one shell: ${Object.keys(SHELLS).join(', ')}`)
      writeOutput(script(commands()))
    },
  }
}
