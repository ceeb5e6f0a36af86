import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aBox, hasBox } from '../a-box.ts'

/** As for a new project: sources are written without a question. */
const USUAL = {
  write: ['src/**', 'HEAD', 'objects/**', 'refs/**', 'w/**'],
  delete: [],
  never: ['.env', '.git/hooks/**'],
}

/** What waits for the next command of the person, or leads a later one out. */
const PLANTED: readonly (readonly [name: string, command: string])[] = [
  ['a hook of git', 'mkdir -p .git/hooks; echo "touch /x" > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit'],
  ['a program as a setting of git', 'printf "[core]\\n\\tfsmonitor = ./x\\n" >> .git/config'],
  ['a setting of a work tree', 'echo "[core]" > .git/config.worktree'],
  ['objects from elsewhere', 'mkdir -p .git/objects/info; echo /etc > .git/objects/info/alternates'],
  ['attributes that run filters', 'mkdir -p .git/info; echo "* filter=x" > .git/info/attributes'],
  ['a hook of a module', 'mkdir -p .git/modules/m/hooks; echo x > .git/modules/m/hooks/post-checkout'],
  ['a repository among sources', 'mkdir -p src/.git; echo x > src/.git/config'],
  ['a file that names another repository', 'echo "gitdir: /tmp/x" > src/.git'],
  [
    'a bare repository among sources',
    'mkdir -p src/objects src/refs; echo "ref: refs/heads/x" > src/HEAD; echo "[core]" > src/config',
  ],
  ['a bare repository in the place of the project', 'mkdir -p objects refs; echo "ref: refs/heads/x" > HEAD'],
  ['variables of a shell', 'echo "export X=1" > .envrc'],
  ['a task of an editor', 'mkdir -p .vscode; echo "{}" > .vscode/tasks.json'],
  ['a script of a package', 'echo "{\\"scripts\\":{\\"postinstall\\":\\"x\\"}}" > package.json'],
  ['a program of a package', 'mkdir -p node_modules/.bin; echo x > node_modules/.bin/tsc'],
  ['a link that leads out', 'ln -s /etc src/etc'],
  ['a link that leads out by dots', 'ln -s ../../../.. src/up'],
  ['a link that leads out by another link', 'ln -s ../deep/er/up src/one; ln -s one/../../.. src/two'],
  ['a link over a link of the person', 'ln -s ../out/secret src/secret'],
  ['a link to a process', 'ln -s /proc/self/root src/root'],
  ['a link to what is never read', 'ln -s ../.env src/env.ts'],
  ['a file with the rights of its owner', 'cp /bin/true src/true; chmod 4755 src/true'],
  ['a group with the rights of its owner', 'cp /bin/true src/true; chmod 2755 src/true'],
  ['a pipe', 'mkfifo src/pipe'],
  ['a socket', "perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Local => q(src/s), Listen => 1)'"],
  ['a file in the place of a pipe', 'rm src/a.ts; mkfifo src/a.ts'],
  ['records of its own', 'mkdir -p src/.holdpoint; echo x > src/.holdpoint/holdpoint.db'],
  ['a name that ends a line', "printf x > $'a\\nb'"],
  ['a name that colours the terminal', "printf x > $'\\e[31mred'"],
  ['a name that is no text', "printf x > src/$'\\xff\\xfe'"],
  ['the deletion of a name that is no text', 'rm -f weird/*'],
  ['another directory', 'mv src src2'],
  ['a directory that is made anew', 'rm -rf src; mkdir src; echo y > src/b.ts'],
  ['a mode of the directory of git', 'chmod 777 .git/config'],
]

describe.runIf(await hasBox())('nothing is planted in the directory before a decision', () => {
  test.each(PLANTED)('%s', async (_, command) => {
    const box = aBox({ files: { 'src/a.ts': 'a', '.git/config': '[core]\n', '.env': 'K=1', 'package.json': '{}' } })
    mkdirSync(join(box.workdir, 'deep/er'), { recursive: true })
    symlinkSync('../..', join(box.workdir, 'deep/er/up'))
    symlinkSync('/etc', join(box.workdir, 'out'))
    mkdirSync(join(box.workdir, 'weird'))
    writeFileSync(Buffer.concat([Buffer.from(join(box.workdir, 'weird/')), Buffer.from([0xff])]), 'x')
    const before = listingOf(box.workdir)
    await expect(box.run(command, { effects: USUAL })).rejects.toThrow()
    expect(listingOf(box.workdir)).toBe(before)
  })

  test('the same command passes if all that it writes is permitted', async () => {
    const box = aBox({ files: { 'src/a.ts': 'a' } })
    await box.run('echo b > src/b.ts; ln -s b.ts src/c.ts', { effects: USUAL })
    expect(existsSync(join(box.workdir, 'src/c.ts'))).toBe(true)
  })
})

/** Kind, mode, size, digest and target of each, whatever the bytes of its name are. */
function listingOf(directory: string): string {
  const script = "find . -path ./.holdpoint -prune -o -printf '%p %y %m %l\\n' -type f -exec sha256sum {} + | sort"
  return execFileSync('/bin/sh', ['-c', script], { cwd: directory, encoding: 'latin1' })
}
