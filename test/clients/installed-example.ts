import { cp, mkdir, readdir, symlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../..')
const PACKAGES = resolve(import.meta.dirname, 'node_modules')

/** Copies an example into `directory` as `npm install` leaves it, with the packages of this suite. Its `start.ts`. */
export async function installedExample(name: string, directory: string): Promise<string> {
  const example = join(ROOT, 'examples', name)
  const files = (await readdir(example)).filter(file => /\.(tsx?|html|json|yaml)$/.test(file))
  for (const file of files) await cp(join(example, file), join(directory, file))
  const packages = join(directory, 'node_modules')
  await mkdir(packages)
  for (const entry of await readdir(PACKAGES)) await symlink(join(PACKAGES, entry), join(packages, entry))
  await symlink(join(ROOT, 'node_modules/esbuild'), join(packages, 'esbuild'))
  await symlink(ROOT, join(packages, 'holdpoint'))
  return join(directory, 'start.ts')
}
