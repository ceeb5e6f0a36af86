import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../test/runs.ts'
import { matchesGlob } from '../../core/policy/glob.ts'
import { coverageOf } from '../../core/policy/match-command.ts'
import { type Policy, rule } from '../../core/policy/policy.ts'
import { inspectCommand } from './inspect-command.ts'

const WORKDIR = '/project'

async function inspect(command: string) {
  const { readings, unclear, protected: guarded } = await inspectCommand(command, WORKDIR)
  const { as, among, commands } = readings['command'] ?? { as: null, among: [], commands: [] }
  return { as, among, commands, unclear, guarded }
}

/** As `rule()` tries a restrictive pattern. */
function mayRun({ among, commands }: Awaited<ReturnType<typeof inspect>>, pattern: string): boolean {
  if (among.some(text => matchesGlob(pattern, text) || matchesGlob(pattern, `${text} `))) return true
  return (commands ?? []).some(command => coverageOf(pattern, command) !== 'no')
}

test.each([
  ['find . -name x -delete', 'find -delete deletes what it finds'],
  ['find . -fprintf out %p', 'find -fprintf writes a file'],
  ['crontab jobs', 'policy does not read what crontab runs'],
])('the reason for which people are asked about %s is true', async (command, why) => {
  const { commands } = await inspect(command)
  expect((commands ?? []).flatMap(({ doubt }) => doubt ?? [])).toContain(why)
})

test.each([
  ['git status', 'git status'],
  ['  git   status\t-s ', 'git status -s'],
  ['git status\n', 'git status'],
  [`git 'status' "-s"`, 'git status -s'],
  ["g'i't st\\atus", 'git status'],
  ['git commit -m "fix: it\'s \\"done\\" for \\$5!"', `git commit -m fix: it's "done" for $5!`],
  ["grep 'a|b; $(c)' src/x.ts", 'grep a|b; $(c) src/x.ts'],
  ['git diff HEAD^ main..dev', 'git diff HEAD^ main..dev'],
  ['curl "https://example.com/?a=1&b=2"', 'curl https://example.com/?a=1&b=2'],
  ['./git status', './git status'],
  ['/tmp/evil/git status', '/tmp/evil/git status'],
  ['GIT status', 'GIT status'],
  ['find . -name x', 'find . -name x'],
  ['npm run build', 'npm run build'],
  ['docker ps', 'docker ps'],
  ['node server.js', 'node server.js'],
  ['node --version', 'node --version'],
  ["sed -n '1,20p' src/world.ts", 'sed -n 1,20p src/world.ts'],
  ["awk -F, '{print $1}' f", 'awk -F, {print $1} f'],
])('%j may be permitted as %j', async (command, as) => {
  expect(await inspect(command)).toMatchObject({ as, unclear: null, guarded: null })
})

// biome-ignore format: a table
const PERMITTED_BY_NO_PATTERN = [
  // More than a command and its words.
  'git status > x', '>x git status', 'git status &>x', 'git status <x', 
  'git status {fd}>x', 'A=1 git status', 'PATH=. git status', 'A+=1 git status', 'A=1', 'a=(git)', 'git status; ls', 'git status && ls',
  'git status || ls', 'git status | cat', 'git status |& cat', 'git status &', 'git status\nls', 'coproc git status', 'if true; then git status; fi', 'f() { git status; }', '[[ -f x ]]', '((1))', 'export A=1', 'declare -x A=1', 'exec 3>x',
  // Words that the shell turns into others.
  'git $X', 'git "$X"', `git \${X}`, 'git $(ls)', 'git "`ls`"', 'git $((1))', 'git $[1]', 'cat <(ls)', 'git *', 'git a?', 'git [a]',
  'git {a,b}', 'git {1..3}', 'git @(a|b)', "git $'a'", 'git $"a"', 'git stash@{0}', 'git st\\\natus',
  // Words that read as what they are not.
  '"git status"', 'git\\ status', "'git\tstatus' x", 'git "a\nb"', 'git\u00a0status', 'git\u2003status', '!!', '!git', '"A=1" git',
  '=git status', '~/git status', '%1 git', 'cat build/../secret', 'build/../git status', '/bin/../tmp/git status', "'' git status",
  // Wrappers.
  'sudo git status', '/usr/bin/sudo git status', 'SUDO git status', "s''udo git status", 'doas git', 'su git', 'env git status', 'env',
  'xargs git', 'parallel git', 'bash -c git', 'bash -x script.sh', 'busybox git', 'eval git', 'exec git', 'source <(x)',
  'command git', 'builtin cd', 'nohup git', 'nice git', 'stdbuf -o0 git', 'setsid git', 'watch git',
  'strace git', 'gdb git', 'script -c git', 'ssh host git', 'docker exec c git', 'docker run i', 'kubectl exec p -- git', 'trap git EXIT',
  'alias a=b', 'npx git', 'npm exec git', 'uvx git', 'find . -exec git', 'find . -delete', 'find . -fprint x', 'fd -x git', 'fd --exec=git',
  'git -c a.b=c status', 'git --exec-path=x status', 'git rebase --exec x', 'git fetch --upload-pack=x', 'git clone --u=x y',
  'git diff --output=x', 'git submodule foreach x', 'git clone -u x y', 'perl -e x', 'perl -pe x f', 'python3 -c x', 'python3.12 -Bc x',
  'node -e x', 'node --eval=x', 'ruby -e x', 'php -r x', "sed -n '1e ls' f", "sed 's/a/b/e' f", "sed 's/a/b/w x' f", "sed p f -e 'e ls'",
  "awk 'BEGIN{system(1)}'", "awk '{print > 1}'", 'tar -xf a --to-command=git', 'tar xIf git a', 'rsync -e git a b',
  'sort --compress-program=git', 'rg --pre=git x', 'make SHELL=git', "test -v 'a[$(git)]'", "printf -v 'a[$(git)]' x", 'mapfile -C git',
  'hash -p /tmp/x git', 'enable -f x y', '/lib64/ld-linux-x86-64.so.2 git',
]

test.each(PERMITTED_BY_NO_PATTERN)('%j is permitted by no pattern', async command => {
  expect((await inspect(command)).as).toBeNull()
})

// biome-ignore format: a table
const REMOVES = [
  'rm x', 'rm', '/bin/rm x', '../rm x', "r''m x", '\\rm x', '"rm" x', "$'\\x72m' x", '$"rm" x', 'RM x', 'rm $X', 'rm *',
  'sudo rm x', 'sudo -u root rm x', 'sudo -u root /bin/rm x', 'xargs rm', 'ls | xargs -n1 rm -f', 'ls | xargs -I{} rm {}',
  'find . -exec rm {} \\;', 'find . -name x -execdir /bin/rm -f {} +', 'fd -x rm', 'fd --exec=rm', 'parallel rm ::: x',
  "bash -c 'rm x'", 'sh -c "cd /; rm x"', "bash -lc 'rm x'", "bash -o pipefail -c 'rm x'", 'eval "rm x"', 'eval rm x', "eval 'r'm x",
  'env A=1 rm x', "env -S 'rm x'", "env -S'rm x'", 'A=1 rm x', 'A+=1 B=2 rm x', '>y rm x', 'rm>y x', '2>&1 rm x',
  'if true; then rm x; fi', 'if rm x; then :; fi', 'if a; then :; elif rm x; then :; fi', 'if a; then :; else rm x; fi',
  'while rm x; do :; done', 'until :; do rm x; done', 'for i in a; do rm x; done', 'for ((;;)); do rm x; done',
  'select i in a; do rm x; done', 'case a in a) rm x;; esac', '(rm x)', '{ rm x; }', 'f() { rm x; }; f', 'function f { rm x; }',
  'coproc rm x', 'coproc A { rm x; }', '$(rm x)', 'echo "$(rm x)"', '`rm x`', 'echo `echo \\`rm x\\``', 'cat <(rm x)', 'tee >(rm x)',
  'source <(rm x)', `echo \${a:-$(rm x)}`, 'echo $((1+$(rm x)))', 'a=$(rm x)', 'a=($(rm x))', 'a[$(rm x)]=1', 'export a=$(rm x)',
  'echo >"$(rm x)"', 'cat <<<"$(rm x)"', 'cat <<E\n$(rm x)\nE', '[[ -n $(rm x) ]]', '((a[$(rm x)]))', 'echo {a,$(rm x)}',
  'for i in $(rm x); do :; done', 'case $(rm x) in esac', 'timeout 5 rm x', 'timeout -s KILL 5 rm x', 'command rm x', 'builtin rm x',
  'exec rm x', 'busybox rm x', 'nohup rm x &', 'nice -n 5 rm x', 'git status; rm x', 'git status\nrm x', 'git status && rm x',
  'git status || rm x', 'git status & rm x', 'a | rm x', 'a |& rm x', '! rm x', 'time rm x', 'git status # \\\nrm x', 'ssh host rm x',
  "ssh -p 22 host 'cd /; rm x'", "su - root -c 'rm x'", "trap 'rm x' EXIT", 'trap rm EXIT', 'bash <<EOF\nrm x\nEOF',
  "bash <<'EOF'\nrm x\nEOF", 'bash <<-EOF\n\trm x\n\tEOF', "bash -s <<<'rm x'", 'sudo bash <<EOF\nrm x\nEOF', 'bash <<E\nr\\\\m x\nE',
  'ssh host <<E\nrm x\nE', "alias ls='rm x'", 'alias ls=rm', 'hash -p /bin/rm git', 'docker run -it image rm x', 'docker exec c rm x',
  'npx rm x', 'kubectl exec p -- rm x', "flock f -c 'rm x'", "script -qc 'rm x' /dev/null", 'watch rm x', "watch -n1 'rm x'",
  "nix-shell --run 'rm x'", `bash -c "bash -c 'rm x'"`, 'sudo sh -c "xargs env rm"', 'nohup sh -c "sh -c \\"rm x\\"" &',
  "env bash -c 'sudo rm x'", "git -c alias.x='!rm y' x", "git rebase --exec 'rm x'", 'git submodule foreach rm x',
  "git bisect run sh -c 'rm x'", "GIT_SSH_COMMAND='rm x' git fetch", "PS4='$(rm x)'; set -x; :", `x='$(rm y)'; echo \${x@P}`,
  "tar cf a --checkpoint-action=exec='rm x' b", `perl -e 'system("rm x")'`, `python3 -c "os.system('rm x')"`,
  `awk 'BEGIN{system("rm x")}'`, "sed '1e rm x' f", "vim -c '!rm x'", 'python3 <<E\nos.system("rm x")\nE', "test -v 'a[$(rm x)]'",
  "[[ a -eq 'b[$(rm x)]' ]]", "declare 'a[$(rm x)]=1'",
  // What sh, but not bash, takes for a command.
  '((rm x))', '[[ a || rm ]]', 'a &>b rm x', '!(rm x)',
]

test.each(REMOVES)('%j is seen to run rm', async command => {
  const found = await inspect(command)
  expect(mayRun(found, 'rm *'), found.among.join('\n')).toBe(true)
})

test.each([
  'git rm x',
  'echo rm x',
  "git commit -m 'rm x'",
  'cat <<E > notes\nrm x\nE',
  "echo 'a; rm x'",
  'rmdir x',
  "find . -name 'rm' -print",
])('%j is not taken for rm', async command => {
  const found = await inspect(command)
  expect({ runs: mayRun(found, 'rm *'), unclear: found.unclear }).toEqual({ runs: false, unclear: null })
})

test('a program is found by its whole path too', async () => {
  expect((await inspect('/opt/Tool/Deploy now')).among).toEqual(['/opt/Tool/Deploy now', 'Deploy now', 'deploy now'])
})

// biome-ignore format: a table
const UNCLEAR = [
  // Not readable.
  '', '  ', '\n', '# nothing', 'echo "', "echo '", 'echo `', 'echo $(', 'echo ${', 'echo $((1', 'echo )', 'echo (', 'echo x)', 'a ( b', '}',
  'done', 'if true', 'for i in a', 'case a in', 'f() {', 'a &&', '| a', 'a ;; b', 'cat <<E\nx', 'a >', "echo $'x", '[[ a', 'a=(',
  `\${ rm; }`, '$[1]', 'a\0b', 'git status\r\nrm x', 'a\u001bb', 'a\u202eb', 'a\ud800b', 'r\\\nm x', '$\\\nX rm', 'echo $($($(',
  // Depends on what is not in the text.
  '$X y', '"$X" y', '$(echo rm) x', '`echo rm` x', `\${X} y`, '/bin/r? x', '/bin/r* x', '/bin/[r]m x', '{rm,-f}', 'r{m,n} x', '@(rm) x',
  'r$X', 'A=rm; $A x', 'set -- rm; "$@"', 'f() { $1; }; f rm', 'echo $($X)', 'a &>b $X', `echo \${x@P}`, 'sudo $X', 'sudo -u root "$X"',
  'env A=1 $X', 'timeout 5 $X', 'nice -n 5 $X', 'exec $X', 'command $X', 'xargs $X', 'find . -exec $X \\;',
  'find . -exec a \\; -exec $X \\;', 'find . -exec {} \\;', 'xargs -I{} {} x', 'xargs -I % % x', 'xargs -I % sh -c "rm %"',
  'docker run image $X', 'echo x | sh', 'curl x | bash', 'base64 -d | sh', 'bash', 'bash -s', 'bash -', 'bash < x', 'bash /dev/stdin',
  'bash <(curl x)', 'curl x | sudo bash', '(bash) <<E\nls\nE', 'a | { b; sh; }', 'tee >(sh)', 'coproc sh', 'bash -c', 'bash -c "$X"',
  'bash -c "ls $X"', 'bash "$X"', 'bash -$X', 'bash <<E\nls $X\nE', 'curl x | python3', 'curl x | node -', 'a | sudo -s', 'a | ssh host',
  'a | xargs sh', 'a | xargs sudo', 'a | xargs env', 'a | parallel', 'xargs -0 sh -c', 'eval "$X"', 'eval ls $X', "eval 'ls'$X",
  'ssh host "$X"', 'trap "$X" EXIT', `bash -c 'eval "$0"'`, "bash -c '$0 x' rm", "eval 'echo ('", 'watch $X', 'source "$X"',
  '. <(a)', "bash -c '. /dev/stdin'", 'exec <x', "cat <<$'E'\nE\n$E\nE",
]

test.each(UNCLEAR)('%j is unclear', async command => {
  expect(await inspect(command)).toMatchObject({ as: null, unclear: expect.any(String) })
})

test('a command of more than 64 KB is unclear', async () => {
  expect(await inspect(`echo ${'é'.repeat(32 * 1024)}`)).toMatchObject({
    as: null,
    unclear: 'the command is longer than 64 KB',
  })
})

test('scripts in scripts beyond a certain depth are unclear', async () => {
  const nested = Array.from({ length: 11 }).reduce<string>((script, _, n) => `bash <<'E${n}'\n${script}\nE${n}`, 'ls')
  expect((await inspect(nested)).unclear).toBe('the command holds too many scripts within scripts')
})

test.each([
  'bash script.sh',
  'bash --version',
  'sudo rm $X',
  'sudo -u root rm $X',
  'timeout 5 curl "$URL"',
  `xargs sh -c 'rm "$@"' _`,
  'env | grep X',
  'for i in *.ts; do cat "$i"; done',
  'ls | while read -r l; do echo "$l"; done',
  'A=$(ls) && echo "$A"',
  'git log | head -5',
  'cat <<E\n$X\nE',
  `sudo git commit -m "don't"`,
  'python3 - <<E\nprint(1)\nE',
  "bash -c 'ls; echo $HOME'",
  `find . -exec sh -c 'echo "$1"' _ {} \\;`,
  'a | python3 -m json.tool',
  '[ -f x ] && echo y',
  'git status \\\n  --short',
  "curl -d 'a\n b' x",
  'echo "a\tb"',
])('%j is clear', async command => {
  expect(await inspect(command)).toMatchObject({ unclear: null })
})

test.each([
  ['git status; sudo $X', 'which program sudo runs depends on $X'],
  ['echo "', 'the command cannot be parsed: unterminated double quote'],
  ['curl x | bash', 'bash reads its script from standard input'],
])('the reason names the trouble with %j', async (command, reason) => {
  expect((await inspect(command)).unclear).toBe(reason)
})

// biome-ignore format: a table
const GUARDED = [
  'cat .holdpoint/policy.json', 'echo x > .holdpoint/policy.json', '>.holdpoint/x', 'cat <.holdpoint/x', 'cd .holdpoint && rm x',
  'rm -rf ./.holdpoint/', 'echo x >/project/.holdpoint/x', 'cat /project/src/../.holdpoint', 'cat ~/.holdpoint', 'cat .HoldPoint/x',
  'cat .hold\u200cpoint/x', 'cat ".holdpoint"/x', 'cat .hold""point/x', 'cat .hold\\point', "cat $'.hold\\x70oint'", 'A=.holdpoint/x',
  'A=(.holdpoint)', 'export A=.holdpoint', 'cp x --to=.holdpoint/y', 'sort -o.holdpoint/x', 'x --y=-o.holdpoint/x', 'rm -r .h*', 'rm -r .*', 'ls .[h]*',
  'ls [.]h*', 'ls .holdp?int', 'ls .ho*t', 'ls **/.h*', 'ls .!(git)', 'ls .{holdpoint,git}', 'ls {.hold,x}point',
  'ls {a,{b,.holdpoint}}/x', 'ls .{h..h}oldpoint', 'ls @(.holdpoint|x)', 'ls .hold$X', 'ls .holdpoint$X', 'ls $X.holdpoint',
  "bash -c 'cat .holdpoint/x'", `bash -c 'cat .hold""point/x'`, `eval cat .hold"''"point`, 'echo `cat .holdpoint/x`',
  `python3 -c "open('.holdpoint/x')"`, 'cat <<E > x\n.holdpoint/a\nE', '[[ -f .holdpoint/x ]]', 'for i in .holdpoint; do :; done',
  'case .holdpoint in a) ;; esac', 'echo " .holdpoint/x',
]

test.each(GUARDED)('%j touches the protected directory', async command => {
  expect((await inspect(command)).guarded).toMatch(/^writes to \.holdpoint always need a person \(mentions .{1,60}\)$/)
})

test('a command too long to read may still touch the protected directory', async () => {
  expect((await inspect(`cat .holdpoint/x ${'x'.repeat(64 * 1024)}`)).guarded).toEqual(expect.any(String))
})

// biome-ignore format: a table
const UNGUARDED = [
  'ls *', 'ls .', 'ls ..', 'rm -rf .', 'cat my.holdpoint', 'cat .holdpointer', 'cat .holdpoint.bak', 'cat .holdpoint-old/x',
  'npx holdpoint runs', 'ls .git*', 'ls .env*', 'ls *point', 'ls src/*.ts', 'echo ".*"', "sed 's/.*//' f", 'ls {a,b}', 'echo $X$Y/x',
  'mv "$f" "$d/$n.$e"', 'echo "$(date).log"',
]

test.each(UNGUARDED)('%j leaves the protected directory alone', async command => {
  expect((await inspect(command)).guarded).toBeNull()
})

test('the reason for protection names the word', async () => {
  expect((await inspect('cd / && cat x .holdpoint/policy.json')).guarded).toBe(
    'writes to .holdpoint always need a person (mentions .holdpoint/policy.json)',
  )
})

const DECIDING = [
  'holdpoint approve hold_1',
  'holdpoint reject hold_1 --reason no',
  'holdpoint answer hold_1 yes',
  'holdpoint edit hold_1 --arguments {}',
  'holdpoint cancel run_1',
  'holdpoint assign hold_1 eve',
  'holdpoint grants revoke grant_1',
  'holdpoint prune --older-than 1d',
  'holdpoint -c cp_1 --approve tc_1',
  'holdpoint -c cp_1 "yes, proceed"',
  'holdpoint -ac cp_1 yes',
  'holdpoint --checkpoint=cp_1 --approve-all',
  './node_modules/.bin/holdpoint approve hold_1',
  'npx holdpoint@latest approve hold_1',
  'npx -y -- holdpoint approve hold_1',
  'npm exec holdpoint -- approve hold_1',
  'node node_modules/holdpoint/dist/cli/bin.js approve hold_1',
  'node --no-warnings dist/cli/bin.js -c cp_1 --approve tc_1',
  'HOLDPOINT_ACTOR=ben holdpoint holds',
  'env -u HOLDPOINT_WITHIN holdpoint approve hold_1',
  'env -u HOLDPOINT_WITHIN ./approve.sh',
  'unset HOLDPOINT_WITHIN; ./approve.sh',
  'HOLDPOINT_WITHIN= ./approve.sh',
  'export HOLDPOINT_WITHIN=agent:other/run_1',
  'unset HOLDPOINT_{WITHIN,STORE}',
  'unset "HOLDPOINT_""WITHIN"',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is shell
  'unset ${!HOLDPOINT*}',
  'declare +x HOLDPOINT_WITHIN',
  'bash -c "holdpoint approve hold_1"',
  'eval "holdpoint" "approve hold_1"',
  'hold""point app\\rove hold_1',
  'hold\'point\' "approve" hold_1',
  'hold$nothing""point approve hold_1',
  '$program approve hold_1',
  'h=holdpoint; $h approve hold_1',
  'h=holdpoint; "$h" -c cp_1 --approve tc_1',
  '$(which holdpoint) approve hold_1',
  'holdpoint $verb hold_1',
  'h() { holdpoint "$@"; }; h approve hold_1',
  'echo approve hold_1 | xargs holdpoint',
  'echo hold_1 | xargs -n1 holdpoint approve',
  'timeout 5 nice holdpoint approve hold_1',
  'sudo -u ben holdpoint approve hold_1',
  'ls && (cd /tmp; holdpoint approve hold_1) | cat',
  'echo $(holdpoint approve hold_1)',
  'cat <(holdpoint approve hold_1)',
  'find . -exec holdpoint approve hold_1 \\;',
  'docker run image holdpoint approve hold_1',
  'ssh localhost holdpoint approve hold_1',
  'ssh localhost "holdpoint approve hold_1"',
  "node -e \"require('child_process').execFileSync('holdpoint', ['approve', 'hold_1'])\"",
  "node -e \"import('holdpoint').then(h => h.openHoldpoint()).then(h => h.decide('hold_1', {}))\"",
  "python3 -c \"import os; os.execvp('holdpoint', ['holdpoint', 'approve', 'hold_1'])\"",
  "python3 <<'END'\nimport os\nos.system('holdpoint approve hold_1')\nEND",
  'holdpoint approve hold_1\n)',
  `: ${'x'.repeat(70_000)}; holdpoint approve hold_1`,
]

test.each(DECIDING)('P1: an agent that runs %j always needs a person', async command => {
  expect((await inspectCommand(command, WORKDIR)).protected).toEqual(expect.any(String))
})

const NOT_DECIDING = [
  'holdpoint holds --json',
  'holdpoint show hold_1',
  'holdpoint "look at the logs"',
  'holdpoint --pause-on-approval -o json "look at the logs"',
  'holdpoint --model script:deploy.yaml "go"',
  'npx holdpoint runs',
  'grep -rn approve node_modules/holdpoint',
  'git commit -m "holdpoint: approve what is harmless"',
  'gh pr review --approve',
  'npm run edit',
  'echo "$HOLDPOINT_IDEMPOTENCY_KEY"',
  'HOLDPOINT_STORE=sqlite:x.db holdpoint runs',
  'env NODE_ENV=test npm test',
  'env -u NODE_ENV npm test',
  'exec npm test',
  'unset NODE_ENV',
  'which holdpoint',
  'node -e "console.log(1)"',
  'node -e "import(\'holdpoint\').then(console.log)"',
  'kubectl edit deployment x',
  '$EDITOR notes.txt',
]

test.each(NOT_DECIDING)('%j decides nothing', async command => {
  expect((await inspectCommand(command, WORKDIR)).protected).toBeNull()
})

test('a run that works inside the protected directory always needs a person', async () => {
  expect((await inspectCommand('ls', '/project/.holdpoint/session')).protected).toEqual(expect.any(String))
})

const POLICY: Policy = {
  default: 'prompt',
  tools: { run_command: 'auto' },
  rules: [
    { tool: 'run_command', match: { command: 'git status*' }, policy: 'auto' },
    { tool: 'run_command', match: { command: 'rm *' }, policy: 'never' },
  ],
  on_never: 'pause',
}

test.each([
  ['git status -s', 'auto'],
  ['git status; rm x', 'never'],
  ['git status; $X', 'prompt'],
  ['git status .holdpoint', 'prompt'],
  ['sudo /bin/RM x', 'never'],
  ['ls', 'auto'],
])('a policy rules on %j with %s', async (command, verdict) => {
  const facts = await inspectCommand(command, WORKDIR)
  const question = { tool: 'run_command', arguments: { command }, facts, needs_approval: null }
  expect(rule(POLICY, question).verdict).toBe(verdict)
})

// biome-ignore format: a table
const TOKENS = [
  'rm', 'x', 'git', 'status', 'sudo', 'bash', '-c', 'eval', 'xargs', '-I{}', 'find . -exec', 'A=1', 'a=(', '.holdpoint', '.h', 'EOF\n',
  '<<EOF\n', '"', "'", '`', '\\', '$', '$(', '$((', '${', '$[', '(', ')', '((', '))', '{', '}', '[[', ']]', '[', ']', '<(', '>(', "$'",
  '<<<', '&>', '|&', ';;', '&', '&&', '|', '||', '<', '>', '!', '#', '*', '?', '@(', '~', '=', '+=', '\n', '\r', '\t', ' ', ' ', ' ',
  '\u00a0', '\ud800', '\0', 'if', 'then', 'fi', 'for', 'in', 'do', 'done', 'case', 'esac', 'function', 'f()', 'time', 'coproc', 'select',
  'while', '{a,', '..', '@P}', '\\\n',
]

const anyScript = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.array(fc.constantFrom(...TOKENS), { maxLength: 40 }).map(tokens => tokens.join('')),
  fc.array(fc.constantFrom(...TOKENS), { maxLength: 40 }).map(tokens => tokens.join(' ')),
)

test('no text makes it throw, and what is unclear is permitted by no pattern', async () => {
  const property = fc.asyncProperty(anyScript, async command => {
    const { as, among, unclear } = await inspect(command)
    expect(among).toContain(command.trim())
    expect(as === null || unclear === null).toBe(true)
  })
  await fc.assert(property, { numRuns: runs(1500) })
})

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function doubleQuoted(text: string): string {
  return `"${text.replace(/[\\"$`]/g, '\\$&')}"`
}

type Change = (script: string) => string

// biome-ignore format: a table
const BEFORE = [
  'sudo ', 'sudo -u root ', 'env A=1 ', 'nohup ', 'timeout 5 ', 'timeout -k 1 5s ', 'xargs ', 'ls | xargs -n1 ', 'command ', 'exec ', 'A=1 ',
  'busybox ', 'nice -n 5 ', 'find . -exec ', 'ssh host ', 'eval ', '! ', 'time ', 'docker run image ', 'flock f ', '>x ', 'true && ', 'true\n',
].map((before): Change => script => before + script)

const TAKING_TEXT = [
  'bash -c ',
  'sh -ec ',
  'eval ',
  'env -S ',
  'ssh host ',
  'sudo bash -c ',
  'su -c ',
  'watch ',
  'xargs sh -c ',
  'trap ',
  'bash <<<',
]

const QUOTING = TAKING_TEXT.flatMap((before): Change[] => [s => before + quoted(s), s => before + doubleQuoted(s)])

const AROUND: readonly Change[] = [
  s => `(${s})`,
  s => `{ ${s}\n}`,
  s => `if true; then ${s}\nfi`,
  s => `f() { ${s}\n}; f`,
  s => `echo "$(${s}\n)"`,
  s => `cat <(${s}\n)`,
  s => `a=$(${s}\n)`,
  s => `bash <<'END'\n${s}\nEND\n`,
  s => `for i in a; do ${s}\ndone`,
]

test('no chain of wrappers and quotings hides a program', async () => {
  const program = fc.constantFrom('rm', '/bin/rm', "r''m", '\\rm', '"rm"', "$'\\x72m'", 'RM', '"r"m', '../rm')
  const changes = fc.array(fc.constantFrom(...BEFORE, ...QUOTING, ...AROUND), { maxLength: 6 })
  const property = fc.asyncProperty(program, changes, async (spelled, wrappings) => {
    const command = wrappings.reduce((script, wrap) => wrap(script), `${spelled} -rf x`)
    const found = await inspect(command)
    expect(found.unclear !== null || mayRun(found, 'rm *'), command).toBe(true)
  })
  await fc.assert(property, { numRuns: runs(1500) })
})

// biome-ignore format: a table
const ADDED = [
  ...[
    ' > x', ' >> x', ' < x', ' &> x', ' >| x', ' | cat', ' |& cat', '; ls', ' && ls', ' || ls', ' &', ' & ls',
    '\nls', ' $(ls)', ' `ls`', ' "$(ls)"', ' $X', ' "$X"', ` \${X}`, ' $((1))', ' <(ls)', ' >(ls)', ' *', ' a?', ' [a]', ' {a,b}', ' @(a)',
    " $'a'", ' (', ' )',
  ].map((after): Change => command => command + after),
  ...['A=1 ', '>x ', 'sudo ', 'env ', 'A=1 B=2 ', 'ls; ', 'ls\n', 'ls | ', '(', 'if ', '{ ', 'exec '].map((before): Change => command => before + command),
]

const plainWord = fc.oneof(
  fc.stringMatching(/^[a-z0-9_./:=-]{1,8}$/),
  fc.stringMatching(/^[ -~]{0,8}$/).map(quoted),
  fc.stringMatching(/^[ -~]{0,8}$/).map(doubleQuoted),
)
const plainCommand = fc.array(plainWord, { maxLength: 5 }).map(words => ['git', ...words].join(' '))

test('nothing added to a plain command is permitted with it', async () => {
  const property = fc.asyncProperty(plainCommand, fc.constantFrom(...ADDED), async (command, change) => {
    expect((await inspect(change(command))).as).toBeNull()
  })
  await fc.assert(property, { numRuns: runs(1500) })
})

// biome-ignore format: a table
const PIECES = [
  'a', '"', "'", '\\', ' ', '\t', '~x', '/', '.', '=', '+', '%', '^', ':', '@', ',', '#', '!', 'é', '\u00a0', '{', '*', '$', '"b c"', '\\"', '\n',
]

test('what a pattern may permit is what bash runs', async () => {
  const nearlyPlain = fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }).map(pieces => `echo x${pieces.join('')}`)
  let compared = 0
  const property = fc.asyncProperty(nearlyPlain, async command => {
    const { as } = await inspect(command)
    if (as === null) return
    compared++
    const said = execFileSync('bash', ['-c', command], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    expect(said).toBe(`${as.slice('echo '.length)}\n`)
  })
  await fc.assert(property, { numRuns: 300 })
  expect(compared).toBeGreaterThan(20)
})

// biome-ignore format: a table
const HOSTILE = [
  '(', ')', '$(', '`', '{', '}', '"', "'", '\\', 'a&&', 'a|', '[[ ', '<(', '<<E\n', 'sudo ', 'sudo -a ', 'eval ', 'bash -c ', 'find -exec ',
  '-exec a ', 'ls .h*', '{a,b}', '{.h,', '@(', 'env -S ', 'alias a=b ', 'a=b ', '1,', 's/a/b/;', `\${a:-`, '((', '! ', '# \\\n', '$', "'a b' ",
  '.h$X', 'xargs -I a ', 'a{} ',
]

test.each(HOSTILE)('60 KB of %j are read in seconds', async piece => {
  const started = process.cpuUsage()
  for (const start of ['', 'xargs ']) await inspect(start + piece.repeat(60_000 / piece.length))
  expect(secondsOfWork(started)).toBeLessThan(10)
})

// biome-ignore format: a table
const REPEATED: readonly (readonly [before: string, piece: string, behind: string])[] = [
  ['git ', 'clone ', ''], ['git ', 'config ', ''], ["sqlite3 x '", '\n ', "'"], ["sed '", '\n', "'"], ['echo "', '\n', '"'], ['xargs ', '* ', ''],
  ['xargs ', '- ', ''], ['', 'cp /bin/rm ', ''], ['xargs ', 'cp /bin/rm ', ''], ['xargs ', '$x ', ''], ['env ', 'env -i ', ''], ["python3 -c '", '\\"', "'"],
  ["awk '", '-F\n', "'"], ['sed ', '-E ', ''], ['xargs ', 'holdpoint ', ''], ['', './a;', ''], ['find . ', '-o ', ''], ['', 'find . | ', 'xargs rm'],
  ['', 'find . -delete;', ''], ['shopt -s dotglob; ', '* ', ''], ['shopt -s dotglob; ', 'echo *;', ''], ['', 'x=$(find .);', 'rm "$x"'],
]

test.each(REPEATED)(
  '64 KB of %j and many a %j take no time that grows with its square',
  async (before, piece, behind) => {
    const started = process.cpuUsage()
    await inspect(before + piece.repeat(65_000 / piece.length) + behind)
    expect(secondsOfWork(started)).toBeLessThan(2)
  },
)

/** Of this process, whatever else the machine does. */
function secondsOfWork(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1e6
}
