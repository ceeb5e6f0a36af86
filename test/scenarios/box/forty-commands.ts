/** What a coding agent runs on an ordinary day, in a small project. */

export const FORTY_COMMANDS: readonly string[] = [
  'git status --short',
  'git log --oneline -20',
  'git diff HEAD~1 -- src',
  'ls -la',
  'cat package.json',
  'rg -n "needsApproval" src',
  'npm test',
  'npx tsc --noEmit',
  'npx vitest run src/core',
  'git status && git diff --stat',
  'cd packages/core && npm test',
  'cd "$(git rev-parse --show-toplevel)" && npm test',
  'cd "$(git rev-parse --show-toplevel)" && git status --short',
  'npm test 2>&1 | tail -40',
  'npx tsc --noEmit 2>&1 | head -30',
  'npm run build > /tmp/build.log 2>&1; tail -5 /tmp/build.log',
  'for f in src/*.ts; do wc -l "$f"; done',
  "find . -name '*.test.ts' -not -path './node_modules/*' | head",
  'find src -name \'*.ts\' | xargs grep -l "TODO"',
  'grep -rn "TODO" src | wc -l',
  "sed -n '1,80p' src/index.ts",
  "sed -i 's/foo/bar/' src/index.ts",
  "cat > src/new.ts <<'X'\nexport const fresh = 1\nX",
  'NODE_ENV=test npm test',
  'CI=1 npx vitest run',
  'git add -A && git commit -m "fix: handle null"',
  'git commit -m "$(cat /tmp/msg)"',
  "mkdir -p src/util && echo 'export {}' > src/util/index.ts",
  "node -e 'console.log(process.version)'",
  "python3 - <<'X'\nprint(1 + 1)\nX",
  "python3 -c \"import json;print(json.load(open('package.json'))['version'])\"",
  'jq -r .version package.json',
  'npm run lint -- --fix || true',
  'if [ -f .env ]; then echo yes; fi',
  'FILE=src/index.ts; wc -l $FILE',
  'echo "$HOME"',
  'git diff --name-only | xargs npx vitest related',
  'npm test -- --reporter=dot 2>/dev/null | grep -E "fail|pass"',
  'timeout 60 npm test',
  'ls src | while read f; do echo $f; done',
]

const BUILD = "fs.mkdirSync('dist', { recursive: true }); fs.writeFileSync('dist/index.js', 'built')"

/** A program of the project that needs no network. */
const PROGRAM = '#!/bin/sh\necho "1 passed"\n'

export const SMALL_PROJECT: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({
    name: 'small',
    version: '1.2.3',
    scripts: { test: 'echo "1 pass"', build: `node -e "${BUILD}"`, lint: 'echo linted' },
    devDependencies: { typescript: '6.0.3', vitest: '5.1.1' },
  }),
  'package-lock.json': '{}',
  '.gitignore': 'node_modules/\ndist/\n.env\n',
  '.env': 'KEY=hush',
  'src/index.ts': 'export const foo = 1 // TODO\n',
  'src/core/a.test.ts': 'export {}\n',
  'packages/core/package.json': '{"name": "core", "scripts": {"test": "echo ok"}}',
  'README.md': '# Small\n',
  'node_modules/.bin/tsc': PROGRAM,
  'node_modules/.bin/vitest': PROGRAM,
}
