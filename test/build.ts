import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

const STAMP = 'node_modules/.cache/holdpoint/build.json'
/** All that a build reads, but for the tests among them. */
const SOURCES = ['src/**', 'web/**', 'scripts/**', 'package.json', 'package-lock.json', 'tsconfig*.json']
const WRITTEN = ['dist/**', 'schemas/**', 'docs/commands.md', 'docs/routes.md', 'docs/errors.md', 'docs/api/**']

/**
 * Stories run the built command line, and agent files the built library: both are built once before them. A build is kept
 * while its sources are the same, and nobody changed what it wrote.
 */
// biome-ignore lint/style/noDefaultExport: vitest asks for one
export default function setup(): void {
  const read = filesIn(SOURCES).filter(path => !path.endsWith('.test.ts'))
  const sources = digestOf(read, path => readFileSync(path))
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === stampOf(sources)) return
  rmSync(STAMP, { force: true })
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
  mkdirSync(dirname(STAMP), { recursive: true })
  writeFileSync(STAMP, stampOf(sources))
}

/** Of the sources that a build was made from, and of what it wrote. */
function stampOf(sources: string): string {
  const written = digestOf(filesIn(WRITTEN), path => {
    const { size, mtimeNs, ino } = statSync(path, { bigint: true })
    return `${size} ${mtimeNs} ${ino}`
  })
  return JSON.stringify({ node: process.version, sources, written })
}

function filesIn(patterns: readonly string[]): readonly string[] {
  const entries = globSync(patterns, { withFileTypes: true, exclude: ({ name }) => name === 'node_modules' })
  return entries.flatMap(entry => (entry.isFile() ? [`${entry.parentPath}/${entry.name}`] : [])).toSorted()
}

function digestOf(paths: readonly string[], content: (path: string) => string | Buffer): string {
  const digest = createHash('sha256')
  for (const path of paths) digest.update(`\0${path}\0`).update(content(path))
  return digest.digest('hex')
}
