/** What commands of a new project may change without a question: what is there, by the names that such things have. */

/** Looks at a project: true if the path is there, and the names that its `.gitignore` has. */
export interface ProjectLook {
  has(path: string): boolean
  ignores(name: string): boolean
}

export interface StarterEffects {
  readonly write: readonly string[]
  readonly delete: readonly string[]
  readonly never: readonly string[]
}

const SOURCES = ['src', 'lib', 'app', 'cmd', 'internal', 'pkg', 'packages', 'apps', 'crates', 'scripts'] as const
const TESTS = ['test', 'tests', 'spec', 'e2e', '__tests__'] as const
const DOCS = ['docs', 'doc', 'examples'] as const
/** Of a project in which nothing is yet. */
const USUAL_FOLDERS = ['src', 'test', 'docs'] as const
const PAGES = ['README.md', 'CHANGELOG.md'] as const
const LOCKS = [
  ...['package-lock.json', 'npm-shrinkwrap.json', 'yarn.lock', 'pnpm-lock.yaml', 'bun.lock', 'deno.lock'],
  ...['Cargo.lock', 'go.sum', 'poetry.lock', 'uv.lock', 'Pipfile.lock', 'Gemfile.lock', 'composer.lock'],
] as const
const BUILT = [
  ...['dist', 'build', 'out', 'target', 'coverage', '.next', '.turbo', '.pytest_cache', '.mypy_cache', '.ruff_cache'],
] as const
/** Where tools for JavaScript keep what they made: inside of what npm installs, or beside the settings. */
const BUILT_BY_NODE = ['/coverage', '*.tsbuildinfo', ...['.cache', '.vite', '.vite-temp', '.vitest'].map(inModules)]
/** Folders that have projects in them. */
const GROUPS = ['packages', 'apps'] as const

/** Private keys and settings with secrets, and programs that git runs by itself. */
const NEVER = [
  ...['.env', '.env.*', '!.env.example', '!.env.sample', '!.env.template'],
  ...['*.pem', '*.p12', '*.pfx', 'id_rsa*', 'id_ecdsa*', 'id_ed25519*', '.git/hooks/**'],
] as const

export function starterEffects(project: ProjectLook): StarterEffects {
  const there = (names: readonly string[]) => names.filter(name => project.has(name))
  const folders = there([...SOURCES, ...TESTS, ...DOCS])
  const built = builtIn(project)
  return {
    write: [
      ...(folders.length > 0 ? folders : USUAL_FOLDERS).map(name => `/${name}/**`),
      ...there([...PAGES, ...LOCKS]).map(name => `/${name}`),
      ...built,
    ],
    delete: built,
    never: NEVER,
  }
}

function builtIn(project: ProjectLook): readonly string[] {
  const named = BUILT.filter(name => project.has(name) || project.ignores(name))
  const groups = GROUPS.filter(name => project.has(name))
  const below = groups.flatMap(group => named.map(name => `/${group}/*/${name}/**`))
  const python = project.has('pyproject.toml') ? ['__pycache__'] : []
  const node = project.has('package.json') ? BUILT_BY_NODE : []
  return [...new Set([...named.map(name => `/${name}/**`), ...below, ...node.map(wholly), ...python])]
}

function inModules(name: string): string {
  return `/node_modules/${name}`
}

/** A folder with all that is in it. */
function wholly(pattern: string): string {
  return pattern.startsWith('/') ? `${pattern}/**` : pattern
}
