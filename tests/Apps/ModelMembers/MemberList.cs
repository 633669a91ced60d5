namespace NumaSharp.ModelMembers;

/// <summary>
/// The members that a model stands for, in a file beside it: <c>folder Type.Member hash</c> a line, a comment after <c>#</c>.
/// <c>left out: reason</c> after the hash says that the model has no step for the member. It has a hash all the same: the reason
/// may not hold any more when the member changes.
/// </summary>
internal sealed class MemberList
{
    private const string LeftOut = " left out:";

    private static readonly char[] s_space = [' ', '\t'];

    private readonly string _file;
    private readonly string[] _lines;
    private readonly List<ListedMember> _members;

    private MemberList(string file, string[] lines)
    {
        _file = file;
        _lines = lines;
        _members = [.. lines.Select(Parse).OfType<ListedMember>()];
    }

    /// <summary>The members in the order of the file; those of a line without a hash have an empty one.</summary>
    public IReadOnlyList<ListedMember> Members => _members;

    public static string FileOf(string model) => Path.ChangeExtension(model, ".members");

    public static MemberList Read(string file) => new(file, File.ReadAllLines(file));

    /// <summary>Replaces the hashes in the file; comments and the order of the lines stay.</summary>
    public void Write(Func<ListedMember, string> hashOf)
    {
        var folders = _members.Max(static member => member.Folder.Length);
        var names = _members.Max(static member => member.Name.Length);
        File.WriteAllLines(_file, _lines.Select(line => Parse(line) is { } member
            ? $"{member.Folder.PadRight(folders)}  {member.Name.PadRight(names)}  {hashOf(member)}{ReasonOf(member)}"
            : line));
    }

    private static string ReasonOf(ListedMember member) => member.LeftOut is null ? "" : $" {LeftOut} {member.LeftOut}";

    // A name may have spaces between the types of its parameters.
    private static ListedMember? Parse(string line)
    {
        var text = line.Trim();
        if (text.Length == 0 || text[0] == '#')
        {
            return null;
        }

        var end = text.IndexOf(LeftOut, StringComparison.Ordinal);
        var reason = end < 0 ? null : text[(end + LeftOut.Length)..].Trim();
        var words = (end < 0 ? text : text[..end]).Split(s_space, StringSplitOptions.RemoveEmptyEntries);
        var last = words.Length > 2 && words[^1].All(char.IsAsciiHexDigitLower) ? words[^1] : "";
        var name = words.Length == 0 ? "" : string.Concat(words[1..(last.Length == 0 ? words.Length : words.Length - 1)]);
        return name.Length == 0
            ? throw new InvalidDataException($"'{line}' is not a folder, a member and perhaps a hash.")
            : new ListedMember(words[0], name, last, reason);
    }
}
