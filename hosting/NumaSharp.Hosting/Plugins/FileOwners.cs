using NumaSharp.Interop;

namespace NumaSharp.Hosting.Plugins;

/// <summary>The allowed owners of plugin files and their folders. Only checked on Linux.</summary>
/// <param name="user">The effective user of the process.</param>
/// <param name="ownerOf">Returns the owner of a file or folder, <see langword="null"/> if unknown.</param>
internal sealed class FileOwners(uint user, Func<string, uint?> ownerOf)
{
    private const uint Root = 0;

    public static FileOwners OfThisSystem { get; } = new(
        OperatingSystem.IsLinux() ? Native.GetEffectiveUser() : Root,
        OperatingSystem.IsLinux() ? ReadOwner : static _ => null);

    /// <exception cref="PluginRefusedException">It belongs to another user, able to change it whatever its mode.</exception>
    public void Check(string path)
    {
        if (ownerOf(path) is { } owner && owner != Root && owner != user)
        {
            var allowed = user == Root ? "root" : $"root or user {user}, which this process runs as";
            throw PluginRefusedException.Because(
                $"is refused because '{path}' belongs to user {owner}; its owner must be {allowed} (chown)");
        }
    }

    private static uint? ReadOwner(string path)
    {
        var result = Native.Statx(path, out var facts);
        return result.Succeeded ? facts.User : throw new IOException($"'{path}' cannot be checked (statx: {result.ErrorName})");
    }
}
