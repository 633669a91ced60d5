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

    private readonly List<MemberDeclarationSyntax> _declarations;

    private SourceMembers(List<MemberDeclarationSyntax> declarations) => _declarations = declarations;

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

    private IEnumerable<MemberDeclarationSyntax> Find(string member)
    {
        var wanted = string.Concat(member.Where(static character => !char.IsWhiteSpace(character)));
        return _declarations.Where(declaration => NamesOf(declaration).Contains(wanted, StringComparer.Ordinal));
    }

    private static string TextOf(MemberDeclarationSyntax declaration) =>
        string.Join(' ', declaration.DescendantTokens().Select(static token => token.Text));

    // Each with its types before it. What has parameters has two names: that of all overloads, and its own.
    private static IEnumerable<string> NamesOf(MemberDeclarationSyntax declaration)
    {
        var types = string.Concat(declaration.Ancestors().OfType<BaseTypeDeclarationSyntax>().Reverse()
            .Select(static type => $"{type.Identifier.Text}."));
        return OwnNamesOf(declaration).Select(name => types + name);
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
