/**
 * What the compiler says of code with seeded bugs. A suite that needs a build finds nothing in code that does not build.
 * Exports have types of their own (`isolatedDeclarations`), so a bug that does not build has its fault in its own file.
 */
import { join } from 'node:path'
import ts from 'typescript'
import { type Mutant, mutated } from './mutant.ts'

/** The first fault of each mutant that does not build. Each program has a bug in many files, so a few serve them all. */
export function buildFaults(root: string, mutants: readonly Mutant[]): ReadonlyMap<Mutant, string> {
  const compile = compilerOf(root)
  const faults = new Map<Mutant, string>()
  const left = [...Map.groupBy(mutants, ({ file }) => join(root, file)).entries()]
  for (let round = 0; left.some(([, all]) => all.length > round); round += 1) {
    const seeded = new Map(left.flatMap(([path, all]) => all.slice(round, round + 1).map(mutant => [path, mutant])))
    const program = compile(new Map([...seeded].map(([path, mutant]) => [path, mutated(root, mutant)])))
    for (const [path, mutant] of seeded) {
      const fault = firstFault(program, path)
      if (fault !== null) faults.set(mutant, fault)
    }
  }
  return faults
}

/** Compiles files with other texts than they have. What they import is read once. */
function compilerOf(root: string): (texts: ReadonlyMap<string, string>) => ts.Program {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
  const host = ts.createCompilerHost(options)
  const read = new Map<string, ts.SourceFile | undefined>()
  let before: ts.Program | undefined
  return texts => {
    const getSourceFile: ts.CompilerHost['getSourceFile'] = (path, target) => {
      const text = texts.get(path)
      if (text !== undefined) return ts.createSourceFile(path, text, target)
      if (!read.has(path)) read.set(path, host.getSourceFile(path, target))
      return read.get(path)
    }
    before = ts.createProgram([...texts.keys()], options, { ...host, getSourceFile }, before)
    return before
  }
}

function firstFault(program: ts.Program, path: string): string | null {
  const file = program.getSourceFile(path)
  const [fault] = [
    ...program.getSyntacticDiagnostics(file),
    ...program.getSemanticDiagnostics(file),
    ...program.getDeclarationDiagnostics(file),
  ]
  return fault ? ts.flattenDiagnosticMessageText(fault.messageText, ' ') : null
}
