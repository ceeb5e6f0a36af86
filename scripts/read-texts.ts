/**
 * Reads what texts an expression of the sources may come to, without running them: names are followed to constants, to
 * the rows of tables and to what helpers are called with. What only a run can know is `…`.
 */
import ts from 'typescript'

/** What names stand for on one way to a place. Every name is declared once, so that it needs no scopes. */
export type Meanings = ReadonlyMap<ts.Symbol, ts.Expression>

export const VARIES = '…'

type Callable = ts.FunctionLikeDeclaration
type Access = Pick<ts.PropertyAccessExpression, 'expression' | 'name'>

const NOTHING = ts.factory.createNull()

export class TextReader {
  readonly #checker: ts.TypeChecker
  /** By the declaration of what is called. */
  readonly #calls = new Map<ts.Node, ts.CallExpression[]>()
  readonly #open = new Set<ts.Node>()

  constructor(program: ts.Program, sources: readonly ts.SourceFile[]) {
    this.#checker = program.getTypeChecker()
    for (const source of sources) this.#findCalls(source)
  }

  /** Every way to this place, where it is reached by a name of several meanings. */
  waysTo(expression: ts.Expression | undefined, known: Meanings): Meanings[] {
    if (expression && ts.isPropertyAccessExpression(expression)) return this.#waysByType(expression, known)
    const symbol = expression && ts.isIdentifier(expression) ? this.symbolOf(expression) : undefined
    if (!symbol) return [known]
    const ways = known.has(symbol) ? [known] : this.#meaningsOf(symbol).map(way => new Map([...known, ...way]))
    return ways.length > 0 ? ways.flatMap(way => this.#settled(symbol, way)) : [known]
  }

  /** All that it may say; `…` where that is not known. Nothing for `null`. */
  textsOf(expression: ts.Expression, known: Meanings): readonly string[] {
    if (this.#open.has(expression)) return [VARIES]
    this.#open.add(expression)
    try {
      return [...new Set(this.#fixedTexts(expression, known))]
    } finally {
      this.#open.delete(expression)
    }
  }

  /** The literals that its type allows, where it is a union of nothing else. */
  literalsOf(expression: ts.Expression): string[] {
    const isMadeUpHere = expression.pos < 0
    if (isMadeUpHere) return []
    const type = this.#checker.getTypeAtLocation(expression)
    const types = type.isUnion() ? type.types : [type]
    return types.every(each => each.isStringLiteral()) ? types.map(({ value }) => value) : []
  }

  /** The value of a property in an object literal. */
  propertyOf(object: ts.Expression | undefined, name: string): ts.Expression | undefined {
    if (!object || !ts.isObjectLiteralExpression(object)) return undefined
    const property = object.properties.find(each => each.name && nameOf(each.name) === name)
    if (property && ts.isPropertyAssignment(property)) return property.initializer
    return property && ts.isShorthandPropertyAssignment(property) ? property.name : undefined
  }

  symbolOf(node: ts.Node): ts.Symbol | undefined {
    const symbol = ts.isShorthandPropertyAssignment(node.parent)
      ? this.#checker.getShorthandAssignmentValueSymbol(node.parent)
      : this.#checker.getSymbolAtLocation(node)
    return symbol && symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol
  }

  #fixedTexts(node: ts.Expression, known: Meanings): string[] {
    if (ts.isStringLiteralLike(node)) return [node.text]
    if (node.kind === ts.SyntaxKind.NullKeyword) return []
    if (ts.isTemplateExpression(node)) return [this.#templateText(node, known)]
    if (ts.isIdentifier(node)) return this.#textsOfName(node, known)
    if (ts.isCallExpression(node)) return this.#textsOfCall(node, known)
    if (isSum(node)) return [this.#partText(node.left, known) + this.#partText(node.right, known)]
    const choices = this.#choicesOf(node, known)
    return choices.length > 0 ? choices.flatMap(each => this.textsOf(each, known)) : [VARIES]
  }

  #templateText({ head, templateSpans }: ts.TemplateExpression, known: Meanings): string {
    return head.text + templateSpans.map(span => this.#partText(span.expression, known) + span.literal.text).join('')
  }

  #partText(part: ts.Expression, known: Meanings): string {
    const [text, ...more] = this.textsOf(part, known)
    return text !== undefined && more.length === 0 ? text : VARIES
  }

  #textsOfName(name: ts.Identifier, known: Meanings): string[] {
    const symbol = this.symbolOf(name)
    if (!symbol) return [VARIES]
    const meaning = known.get(symbol)
    if (meaning) return [...this.textsOf(meaning, known)]
    const declared = symbol.valueDeclaration
    if (!declared || ts.isParameter(rootOf(declared))) return [VARIES]
    const ways = this.#meaningsOf(symbol, known)
    if (ways.length === 0) return [VARIES]
    return ways.flatMap(way => this.textsOf(way.get(symbol) ?? NOTHING, new Map([...known, ...way])))
  }

  /** Of helpers in the same file, and of functions in tables. */
  #textsOfCall(call: ts.CallExpression, known: Meanings): string[] {
    const callable = this.#callableOf(call.expression, known)
    if (!callable?.body || callable.getSourceFile() !== call.getSourceFile()) return [VARIES]
    const inside = new Map([...known, ...this.#argumentsOf(callable, call)])
    const returned = ts.isBlock(callable.body) ? returnsOf(callable.body) : [callable.body]
    return returned.length > 0 ? returned.flatMap(each => this.textsOf(each, inside)) : [VARIES]
  }

  #callableOf(callee: ts.Expression, known: Meanings): Callable | undefined {
    const [choice, ...others] = this.#choicesOf(callee, known)
    if (choice && others.length === 0) return this.#callableOf(choice, known)
    if (ts.isArrowFunction(callee)) return callee
    const symbol = ts.isIdentifier(callee) ? this.symbolOf(callee) : undefined
    if (!symbol) return undefined
    const declared = symbol.valueDeclaration
    if (declared && ts.isFunctionDeclaration(declared)) return declared
    const value = known.get(symbol) ?? this.#meaningsOf(symbol, known)[0]?.get(symbol)
    return value && this.#callableOf(value, known)
  }

  /** How a name comes by its value: from the calls of its function, from a loop over a table, or where it is declared. */
  #meaningsOf(symbol: ts.Symbol, known: Meanings = new Map()): Meanings[] {
    const declared = symbol.valueDeclaration
    if (!declared) return []
    const root = rootOf(declared)
    if (ts.isParameter(root)) {
      const callable = root.parent as Callable
      return this.#callsOf(callable).map(call => this.#argumentsOf(callable, call))
    }
    if (!ts.isVariableDeclaration(root)) return []
    const loop = root.parent.parent
    const values = ts.isForOfStatement(loop) ? this.#rowsOf(loop.expression) : [root.initializer]
    const rows = ts.isIdentifier(root.name) ? values : values.flatMap(value => this.#rowsIn(value, known))
    return rows.map(row => this.#named(root.name, row)).filter(named => named.has(symbol))
  }

  #rowsIn(value: ts.Expression | undefined, known: Meanings): ts.Expression[] {
    if (!value) return []
    const named = ts.isIdentifier(value) ? this.#tableOf(value) : undefined
    if (named) return this.#rowsIn(named, known)
    const choices = this.#choicesOf(value, known)
    return choices.length > 0 ? choices.flatMap(each => this.#rowsIn(each, known)) : [value]
  }

  /** What an expression chooses among; nothing where it is no choice. */
  #choicesOf(node: ts.Expression, known: Meanings): ts.Expression[] {
    if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) return [node.expression]
    if (ts.isConditionalExpression(node)) return [node.whenTrue, node.whenFalse]
    if (isAlternative(node)) return [node.left, node.right]
    if (ts.isPropertyAccessExpression(node)) return this.#propertiesOf(node, known)
    return ts.isElementAccessExpression(node) ? this.#picked(node, known) : []
  }

  #propertiesOf({ expression, name }: Access, known: Meanings): ts.Expression[] {
    const symbol = ts.isIdentifier(expression) ? this.symbolOf(expression) : undefined
    const value = symbol && known.get(symbol)
    if (value && ts.isIdentifier(value)) return this.#propertiesOf({ expression: value, name }, known)
    const property = this.propertyOf(value, name.text)
    return property ? [property] : []
  }

  #picked({ expression, argumentExpression }: ts.ElementAccessExpression, known: Meanings): ts.Expression[] {
    const keys = this.textsOf(argumentExpression, known)
    const table = this.#tableOf(expression)
    const rows = keys.map(key => this.propertyOf(table, key)).filter(row => row !== undefined)
    return rows.length > 0 && rows.length === keys.length ? rows : this.#rowsOf(expression)
  }

  #rowsOf(expression: ts.Expression): ts.Expression[] {
    const table = this.#tableOf(expression)
    if (table && ts.isArrayLiteralExpression(table)) return [...table.elements]
    if (!table || !ts.isObjectLiteralExpression(table)) return []
    return table.properties.flatMap(each => (ts.isPropertyAssignment(each) ? each.initializer : []))
  }

  #tableOf(expression: ts.Expression): ts.Expression | undefined {
    if (!ts.isIdentifier(expression)) return expression
    const declared = this.symbolOf(expression)?.valueDeclaration
    const value = declared && ts.isVariableDeclaration(declared) ? declared.initializer : undefined
    return value && (ts.isAsExpression(value) || ts.isSatisfiesExpression(value)) ? value.expression : value
  }

  #argumentsOf({ parameters }: Callable, call: ts.CallExpression): Meanings {
    return new Map(
      parameters.flatMap(({ name, initializer }, at) => [
        ...this.#named(name, call.arguments[at] ?? initializer ?? NOTHING),
      ]),
    )
  }

  /** What the names of a declaration, or of a pattern, stand for. */
  #named(name: ts.BindingName, value: ts.Expression | undefined): Meanings {
    if (!value) return new Map()
    if (ts.isIdentifier(name)) {
      const symbol = this.symbolOf(name)
      return new Map(symbol ? [[symbol, value]] : [])
    }
    const parts = name.elements.flatMap((element, at) => {
      if (!ts.isBindingElement(element)) return []
      return [...this.#named(element.name, this.#partOf(value, element, at))]
    })
    return new Map(parts)
  }

  #partOf(value: ts.Expression, { name, propertyName }: ts.BindingElement, at: number): ts.Expression | undefined {
    if (ts.isArrayLiteralExpression(value)) return value.elements[at]
    return this.propertyOf(value, nameOf(propertyName ?? name))
  }

  /** A name for another name is followed further; a type that lists all values stands for each of them. */
  #settled(symbol: ts.Symbol, way: Meanings): Meanings[] {
    const value = way.get(symbol)
    if (!value) return [way]
    const isPassedOnToItself = ts.isIdentifier(value) && this.symbolOf(value) === symbol
    if (isPassedOnToItself) return [way]
    if (ts.isIdentifier(value)) return this.waysTo(value, way)
    const texts = this.textsOf(value, way)
    const fixed = texts.includes(VARIES) ? this.literalsOf(value) : texts
    return fixed.length > 0 ? fixed.map(text => new Map([...way, [symbol, textNode(text)]])) : [way]
  }

  /** `condition.type`, where the type of `type` lists all values. */
  #waysByType(access: ts.PropertyAccessExpression, known: Meanings): Meanings[] {
    const symbol = ts.isIdentifier(access.expression) ? this.symbolOf(access.expression) : undefined
    const literals = this.literalsOf(access)
    if (!symbol || literals.length === 0) return [known]
    return literals.map(text => {
      const property = ts.factory.createPropertyAssignment(access.name.text, textNode(text))
      return new Map([...known, [symbol, ts.factory.createObjectLiteralExpression([property])]])
    })
  }

  #callsOf(callable: Callable): readonly ts.CallExpression[] {
    return this.#calls.get(callable) ?? this.#calls.get(callable.parent) ?? []
  }

  #findCalls(node: ts.Node): void {
    if (ts.isCallExpression(node)) {
      const { expression: callee } = node
      const name = ts.isPropertyAccessExpression(callee) ? callee.name : callee
      const declared = this.symbolOf(name)?.valueDeclaration
      if (declared) this.#calls.set(declared, [...(this.#calls.get(declared) ?? []), node])
    }
    ts.forEachChild(node, child => this.#findCalls(child))
  }
}

function textNode(text: string): ts.Expression {
  return ts.factory.createStringLiteral(text)
}

function rootOf(declared: ts.Declaration): ts.Declaration {
  return ts.isBindingElement(declared) ? ts.walkUpBindingElementsAndPatterns(declared) : declared
}

function nameOf(name: ts.PropertyName | ts.BindingName): string {
  return ts.isIdentifier(name) || ts.isStringLiteralLike(name) || ts.isNumericLiteral(name) ? name.text : ''
}

function isSum(node: ts.Node): node is ts.BinaryExpression {
  return ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken
}

const ALTERNATIVES: readonly ts.SyntaxKind[] = [ts.SyntaxKind.QuestionQuestionToken, ts.SyntaxKind.BarBarToken]

function isAlternative(node: ts.Node): node is ts.BinaryExpression {
  return ts.isBinaryExpression(node) && ALTERNATIVES.includes(node.operatorToken.kind)
}

/** What a block returns, without the functions in it. */
function returnsOf(node: ts.Node): ts.Expression[] {
  if (ts.isReturnStatement(node)) return node.expression ? [node.expression] : []
  const found: ts.Expression[] = []
  ts.forEachChild(node, child => {
    if (!ts.isFunctionLike(child)) found.push(...returnsOf(child))
  })
  return found
}
