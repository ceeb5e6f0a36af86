import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readPolicy } from '../../src/core/policy/read-policy.ts'
import { runs } from '../runs.ts'
import { rulingOnCommand } from './commands.ts'

const POLICY = readPolicy(
  {
    default: 'auto',
    rules: [
      { tool: 'run_command', match: { command: 'rm *' }, policy: 'never' },
      { tool: 'run_command', match: { command: 'git push*' }, policy: 'never' },
      { tool: 'run_command', match: { command: 'curl -X POST*' }, policy: 'never' },
      { tool: 'run_command', match: { command: 'ls*' }, policy: 'auto' },
    ],
  },
  'test',
)

// biome-ignore format: a table
const FORBIDDEN = [
  'rm -rf v', '/bin/rm v', "r''m v", '\\rm v', "$'\\x72m' v", 'RM v', '$(echo rm) v', 'X=rm; $X v', '{rm,v}', `rm\${IFS}v`, 'find . -delete',
  'git push', 'git -C . push', 'git --no-pager -c a.b=c push origin', 'git $(echo push)', 'g=push; git $g', 'git pu{s,}h', "git 'push'",
  'curl -X POST u', 'curl --request POST u', 'curl u --request=POST', 'curl -sXPOST u', 'curl -s -X "$M" u', 'bash s.sh', 'source s.sh',
  "python3 -c 'import os; os.remove(1)'", 'BASH_ENV=s bash -c :', 'git -c alias.p=push p', 'GIT_CONFIG_GLOBAL=c git x', 'gcc -wrapper rm,v x',
  'git-push', 'npm_config_script_shell=./x npm test', 'NODE_OPTIONS=--require=./x.js npm test', 'npm test --script-shell=./x', 'echo x > Makefile; make',
  'git clone --template=./t a', 'git config core.pager ./x', 'MAKEFILES=x make', 'sed -i s/a/b/ package.json && npm test',
]

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function doubleQuoted(text: string): string {
  return `"${text.replace(/[\\"$`]/g, '\\$&')}"`
}

type Change = (script: string) => string

const LISTS: readonly Change[] = [
  s => `ls; ${s}`,
  s => `true && ${s}`,
  s => `ls\n${s}`,
  s => `ls | ${s}`,
  s => `${s}\nls`,
  s => `(${s}\n)`,
  s => `{ ${s}\n}`,
  s => `if true; then ${s}\nfi`,
  s => `for i in a; do ${s}\ndone`,
  s => `f() { ${s}\n}; f`,
  s => `echo "$(${s}\n)"`,
  s => `cat <(${s}\n)`,
  s => `a=$(${s}\n)`,
  s => `coproc { ${s}\n}`,
  s => `case x in x) ${s}\n;; esac`,
  s => `bash <<'END'\n${s}\nEND\n`,
  s => `sudo sh <<'END'\n${s}\nEND\n`,
]

// biome-ignore format: a table
const TAKING_TEXT = [
  'bash -c ', 'sh -ec ', 'eval ', 'ssh host ', 'sudo bash -c ', 'su -c ', 'watch ',
  'xargs sh -c ', 'trap ', 'bash <<< ', 'timeout 5 bash -c ', 'nohup sh -c ', 'docker exec c sh -c ', 'find . -exec sh -c ', 'builtin eval ',
]

const QUOTING = TAKING_TEXT.flatMap((before): Change[] => [s => before + quoted(s), s => before + doubleQuoted(s)])

test('P1: no composition of wrappers lets a forbidden command pass', async () => {
  const changes = fc.array(fc.constantFrom(...LISTS, ...QUOTING), { maxLength: 4 })
  const property = fc.asyncProperty(fc.constantFrom(...FORBIDDEN), changes, async (forbidden, wrappings) => {
    const command = wrappings.reduce((script, wrap) => wrap(script), forbidden)
    expect(['doubt', 'never'], command).toContain(await rulingOnCommand(POLICY, command))
  })
  await fc.assert(property, { numRuns: runs(1_000) })
})

// biome-ignore format: a table
const SIMPLE = ['rm v', '/bin/rm -f v', 'git push', 'git -C . push', 'git --no-pager push x', 'curl -X POST u', 'curl --request POST u', 'rm "$X"']

// biome-ignore format: a table
const PREFIXES = [
  'sudo ', 'sudo -u root ', 'doas ', 'env ', 'env A=1 ', 'env -u X ', 'command ', 'command -p ', 'exec ', 'nohup ', 'nice ', 'nice -n 5 ', 'ionice -c3 ',
  'timeout 5 ', 'timeout -k 1 5s ', 'setsid ', 'stdbuf -oL ', 'xargs ', 'ls | xargs -n1 ', 'A=1 ', '>x ', '! ', 'time ', 'busybox ', 'ssh host ', 'eval ',
  'docker run image ', 'docker exec -it c ', 'kubectl exec p -- ', 'npx ', 'find . -exec ', 'flock f ', 'strace -f ', 'unshare -r ', 'watch -n1 ', 'coproc ',
]

// env reads its text without the expansions of a shell.
const SPLIT = ['env -S ', 'env -vS ', 'env --split-string ', 'env --split-string=', 'sudo env -S ']

test.each(SPLIT)('P1: %j hides no forbidden command', async before => {
  for (const forbidden of SIMPLE) {
    expect(['doubt', 'never'], forbidden).toContain(await rulingOnCommand(POLICY, before + quoted(forbidden)))
  }
})

test('P1: no chain of programs in front hides a forbidden command', async () => {
  const prefixes = fc.array(fc.constantFrom(...PREFIXES), { maxLength: 6 })
  const property = fc.asyncProperty(fc.constantFrom(...SIMPLE), prefixes, async (forbidden, before) => {
    const command = before.join('') + forbidden
    expect(['doubt', 'never'], command).toContain(await rulingOnCommand(POLICY, command))
  })
  await fc.assert(property, { numRuns: runs(1_000) })
})
