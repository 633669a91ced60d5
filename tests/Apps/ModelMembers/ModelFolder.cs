namespace NumaSharp.ModelMembers;

/// <summary>
/// The models of a repository and the code that they stand for. A model proves nothing about code that has changed
/// since the two were last compared.
/// </summary>
internal sealed class ModelFolder(string root)
{
    private const string Folder = "tests/Models";
    private const string Command = "eng/models looked-at";

    private readonly Dictionary<string, SourceMembers?> _sources = [];

    public IEnumerable<string> Names => Directory.EnumerateFiles(PathOf(Folder), "*.pml")
        .Select(static file => Path.GetFileName(file))
        .Order(StringComparer.Ordinal);

    /// <summary>What is to be done before the models speak of the code of today; nothing when they do.</summary>
    public IEnumerable<string> Findings() => Names.SelectMany(FindingsOf).Concat(ListsWithoutModel()).Concat(UnlistedUsers());

    /// <summary>Records that a model was compared with the code as it is now.</summary>
    /// <param name="model">The name of its file.</param>
    /// <returns>The members whose hashes are others than before.</returns>
    /// <exception cref="ArgumentException">There is no such model or list, or a listed member has gone.</exception>
    public IReadOnlyList<string> LookedAt(string model)
    {
        if (!Names.Contains(model, StringComparer.Ordinal))
        {
            throw new ArgumentException($"{Folder} has no model '{model}': {string.Join(", ", Names)}.");
        }

        if (!File.Exists(ListOf(model)))
        {
            throw new ArgumentException(Missing(model));
        }

        var list = MemberList.Read(ListOf(model));
        if (list.Members.Count == 0 || list.Members.FirstOrDefault(member => HashOf(member) is null) is not null)
        {
            throw new ArgumentException(string.Join(Environment.NewLine, FindingsOf(model)));
        }

        var changed = list.Members.Where(member => HashOf(member) != member.Hash).Select(static member => member.Name).ToArray();
        list.Write(member => HashOf(member)!);
        return changed;
    }

    private IEnumerable<string> FindingsOf(string model)
    {
        if (!File.Exists(ListOf(model)))
        {
            return [Missing(model)];
        }

        var list = MemberList.Read(ListOf(model));
        return list.Members.Count == 0
            ? [$"{MemberList.FileOf(model)} names no member."]
            : list.Members.Select(member => FindingOf(model, member)).OfType<string>();
    }

    private string? FindingOf(string model, ListedMember member)
    {
        if (HashOf(member) is not { } hash)
        {
            return $"{model} stands for {member.Name}, which is not in {member.Folder} any more. Look at the model, and name "
                + $"what has taken its place in {Folder}/{MemberList.FileOf(model)}. Then: {Command} {model}";
        }

        if (member.LeftOut is "")
        {
            return $"{Folder}/{MemberList.FileOf(model)} leaves {member.Name} out, and does not say why.";
        }

        if (hash == member.Hash)
        {
            return null;
        }

        var place = $"{member.Folder}/{SourcesOf(member.Folder)!.PlaceOf(member.Name)}";
        return $"{model} stands for {member.Name} ({place}), which "
            + (member.Hash.Length == 0 ? "it was never compared with" : "has changed since")
            + $". Look whether {Folder}/{model} still does what the code does, and change it if not. Then: {Command} {model}";
    }

    private IEnumerable<string> ListsWithoutModel() =>
        from list in Directory.EnumerateFiles(PathOf(Folder), "*.members")
        where !File.Exists(Path.ChangeExtension(list, ".pml"))
        select $"{Folder}/{Path.GetFileName(list)} is the list of a model that is not there.";

    // A member that uses what a model is about is a part of it, or is left out for a reason: one that no list names could break
    // the rules unseen.
    private IEnumerable<string> UnlistedUsers()
    {
        var all =
            from model in Names
            where File.Exists(ListOf(model))
            from member in MemberList.Read(ListOf(model)).Members
            select (Model: model, Member: member);
        return all.GroupBy(static it => it.Member.Folder, StringComparer.Ordinal).SelectMany(UnlistedUsersIn);
    }

    private IEnumerable<string> UnlistedUsersIn(IGrouping<string, (string Model, ListedMember Member)> folder)
    {
        var listed = folder.Select(static it => it.Member.Name).ToHashSet(StringComparer.Ordinal);
        var users =
            from it in folder
            from user in SourcesOf(folder.Key)?.UsersOf(it.Member.Name, listed) ?? []
            select (Name: user, Uses: it.Member.Name, it.Model);
        return users.DistinctBy(static user => user.Name).Select(user =>
            $"{user.Name} ({folder.Key}/{SourcesOf(folder.Key)!.PlaceOf(user.Name)}) uses {user.Uses}, which {user.Model} is "
                + $"about, and no list names it. Look whether {Folder}/{user.Model} does what it does. Then add it to "
                + $"{Folder}/{MemberList.FileOf(user.Model)}, with 'left out: ' and the reason if there is nothing to model: "
                + $"{Command} {user.Model}");
    }

    private string? HashOf(ListedMember member) => SourcesOf(member.Folder)?.HashOf(member.Name);

    private SourceMembers? SourcesOf(string folder)
    {
        if (!_sources.TryGetValue(folder, out var sources))
        {
            sources = _sources[folder] = Directory.Exists(PathOf(folder)) ? SourceMembers.Read(PathOf(folder)) : null;
        }

        return sources;
    }

    private static string Missing(string model) =>
        $"{Folder}/{MemberList.FileOf(model)} is missing: the members that {model} stands for, 'folder Type.Member' a line. "
            + $"Then: {Command} {model}";

    private string ListOf(string model) => PathOf($"{Folder}/{MemberList.FileOf(model)}");

    private string PathOf(string path) => Path.Combine(root, path);
}
