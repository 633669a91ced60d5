namespace NumaSharp.Hosting.Tests.Architecture;

/// <summary>A type that refers to another, and the folders of both below their project's; empty for that itself.</summary>
internal sealed record FolderReference(string User, string UserFolder, string Used, string UsedFolder)
{
    /// <summary>
    /// The two folders side by side that the reference connects: <c>Memory/Pools</c> and <c>Memory/Checks</c>, or <c>Loops</c>
    /// and <c>Memory</c>; <see langword="null"/> within one folder, and between one and another in it.
    /// </summary>
    public (string User, string Used)? SideBySide
    {
        get
        {
            var (user, used) = (Split(UserFolder), Split(UsedFolder));
            var common = user.Zip(used).TakeWhile(static pair => pair.First == pair.Second).Count();
            return common == user.Length || common == used.Length
                ? null
                : (string.Join('/', user[..(common + 1)]), string.Join('/', used[..(common + 1)]));
        }
    }

    private static string[] Split(string folder) => folder.Split('/', StringSplitOptions.RemoveEmptyEntries);
}
