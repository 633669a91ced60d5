using System.Security.Cryptography;
using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace NumaSharp.ModelMembers;

/// <summary>The members of the types in a folder of sources, and a hash of what each of them says.</summary>
/// <remarks>
/// A member is named as a part of its type, <c>Type.Member</c> or <c>Outer.Inner.Member</c>, or is a whole type. A name means
/// all overloads in all parts of a partial type; <c>Type.Member(int, string)</c> means one of them. The hash is over the tokens,
/// signature and attributes included: comments, documentation and white space do not count, nor in which part of the type or in
/// which order overloads are.
/// </remarks>
internal sealed class SourceMembers
{
    private const int HashCharacters = 16;

    private static readonly CSharpParseOptions s_options = new(LanguageVersion.Preview);

    private readonly ILookup<string, MemberDeclarationSyntax> _byName;

    // By what they name. Types name what their members do, and are left out.
    private readonly ILookup<string, MemberDeclarationSyntax> _users;

    private SourceMembers(List<MemberDeclarationSyntax> declarations)
    {
        _byName = declarations
            .SelectMany(static it => NamesOf(it).Select(name => (Name: name, Member: it)))
            .ToLookup(static it => it.Name, static it => it.Member, StringComparer.Ordinal);
        _users = declarations
            .Where(static it => it is not (BaseTypeDeclarationSyntax or DelegateDeclarationSyntax) && OwnNamesOf(it).Any())
            .SelectMany(static it => it.DescendantTokens()
                .Where(static token => token.IsKind(SyntaxKind.IdentifierToken))
                .Select(static token => token.Text)
                .Distinct(StringComparer.Ordinal)
                .Select(name => (Name: name, User: it)))
            .ToLookup(static it => it.Name, static it => it.User, StringComparer.Ordinal);
    }

    /// <param name="folder">The folder; those in it are folders of their own.</param>
    public static SourceMembers Read(string folder) => new(
    [
        .. Directory.EnumerateFiles(folder, "*.cs")
            .Order(StringComparer.Ordinal)
            .Select(static file => CSharpSyntaxTree.ParseText(File.ReadAllText(file), s_options, file))
            .SelectMany(static tree => tree.GetRoot().DescendantNodes().OfType<MemberDeclarationSyntax>()),
    ]);

    /// <summary>What a member says, as a few hexadecimal digits; <see langword="null"/> when there is no such member.</summary>
    public string? HashOf(string member)
    {
        var texts = Find(member).Select(TextOf).Order(StringComparer.Ordinal).ToArray();
        return texts.Length == 0
            ? null
            : Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(string.Join('\n', texts))))[..HashCharacters];
    }

    /// <summary>Where a member is: file and line of its first declaration.</summary>
    public string PlaceOf(string member)
    {
        var place = Find(member).First().GetLocation().GetLineSpan();
        return $"{Path.GetFileName(place.Path)}:{place.StartLinePosition.Line + 1}";
    }

    /// <summary>
    /// The members that name a field, or a property that is as good as one, of the same type or of one around or in it: other
    /// types see it through these.
    /// </summary>
    /// <param name="member">The field; anything else has none.</param>
    /// <param name="listed">Members and whole types that are not wanted.</param>
    public IEnumerable<string> UsersOf(string member, IReadOnlySet<string> listed)
    {
        var name = member[(member.LastIndexOf('.') + 1)..];
        var type = member.Split('.')[0];
        return Find(member).Any(IsState)
            ? from user in _users[name]
              let names = NamesOf(user).ToArray()
              where names[0].Split('.')[0] == type
              where !names.Concat(TypesOf(user)).Any(listed.Contains)
              select Find(names[0]).Count() > 1 ? names[^1] : names[0]
            : [];
    }

    private static bool IsState(MemberDeclarationSyntax declaration) => declaration switch
    {
        FieldDeclarationSyntax field => !field.Modifiers.Any(SyntaxKind.ConstKeyword),
        PropertyDeclarationSyntax { Type: RefTypeSyntax } => true,
        PropertyDeclarationSyntax { AccessorList: { } list } => list.Accessors.Any(static accessor =>
            !accessor.IsKind(SyntaxKind.GetAccessorDeclaration) && accessor is { Body: null, ExpressionBody: null }),
        _ => false,
    };

    private IEnumerable<MemberDeclarationSyntax> Find(string member) =>
        _byName[string.Concat(member.Where(static character => !char.IsWhiteSpace(character)))];

    private static string TextOf(MemberDeclarationSyntax declaration) =>
        string.Join(' ', declaration.DescendantTokens().Select(static token => token.Text));

    // Each with its types before it. What has parameters has two names: that of all overloads, and its own.
    private static IEnumerable<string> NamesOf(MemberDeclarationSyntax declaration)
    {
        var types = TypesOf(declaration).FirstOrDefault();
        return OwnNamesOf(declaration).Select(name => types is null ? name : $"{types}.{name}");
    }

    // The types that it is in, the innermost first.
    private static IEnumerable<string> TypesOf(MemberDeclarationSyntax declaration)
    {
        var names = declaration.Ancestors().OfType<BaseTypeDeclarationSyntax>()
            .Select(static type => type.Identifier.Text)
            .ToArray();
        return names.Select((_, i) => string.Join('.', names.Skip(i).Reverse()));
    }

    private static IEnumerable<string> OwnNamesOf(MemberDeclarationSyntax declaration) => declaration switch
    {
        BaseTypeDeclarationSyntax type => [type.Identifier.Text],
        DelegateDeclarationSyntax type => [type.Identifier.Text],
        MethodDeclarationSyntax method => NamesOf(method.Identifier.Text, method.ParameterList),
        ConstructorDeclarationSyntax constructor => NamesOf(constructor.Identifier.Text, constructor.ParameterList),
        DestructorDeclarationSyntax destructor => [$"~{destructor.Identifier.Text}"],
        OperatorDeclarationSyntax it => NamesOf($"operator{it.OperatorToken.Text}", it.ParameterList),
        ConversionOperatorDeclarationSyntax it => NamesOf($"operator{it.Type}", it.ParameterList),
        IndexerDeclarationSyntax indexer => NamesOf("this", indexer.ParameterList),
        PropertyDeclarationSyntax property => [property.Identifier.Text],
        EventDeclarationSyntax it => [it.Identifier.Text],
        BaseFieldDeclarationSyntax fields => fields.Declaration.Variables.Select(static field => field.Identifier.Text),
        EnumMemberDeclarationSyntax value => [value.Identifier.Text],
        _ => [],
    };

    private static string[] NamesOf(string name, BaseParameterListSyntax parameters)
    {
        var types = parameters.Parameters.Select(static parameter =>
            string.Concat(parameter.Type?.DescendantTokens().Select(static token => token.Text) ?? []));
        return [name, $"{name}({string.Join(',', types)})"];
    }
}
