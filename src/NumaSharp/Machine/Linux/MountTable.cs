using System.Text;

namespace NumaSharp.Core.Linux;

/// <summary>Finds the cgroup hierarchies of a controller in a mount table (proc_pid_mounts(5)).</summary>
internal static class MountTable
{
    public const string Cpuset = "cpuset";

    /// <summary>
    /// The mounts that can hold the controller's files: those of version 1 when there are any, because a controller is bound to
    /// one version at a time; otherwise those of version 2.
    /// </summary>
    public static IReadOnlyList<CgroupMount> Find(ReadOnlySpan<char> mounts, string controller)
    {
        var found = new List<CgroupMount>();
        foreach (var line in mounts.EnumerateLines())
        {
            if (TryParseLine(line, controller, out var mount) && !mount.Point.Split('/').Contains(".."))
            {
                found.Add(mount);
            }
        }

        var isVersion2 = found.TrueForAll(static mount => mount.IsVersion2);
        return found.FindAll(mount => mount.IsVersion2 == isVersion2);
    }

    private static bool TryParseLine(ReadOnlySpan<char> line, string controller, out CgroupMount mount)
    {
        mount = default;
        Span<Range> fields = stackalloc Range[5];
        if (line.Split(fields, ' ') < 4)
        {
            return false;
        }

        var options = line[fields[3]];
        switch (line[fields[2]])
        {
            case "cgroup2":
                mount = new CgroupMount(Unescape(line[fields[1]]), IsVersion2: true, PrefersEffective: true);
                return true;
            case "cgroup" when HasOption(options, controller):
            case Cpuset when controller == Cpuset:
                mount = new CgroupMount(
                    Unescape(line[fields[1]]), IsVersion2: false, PrefersEffective: HasOption(options, "cpuset_v2_mode"));
                return true;
            default:
                return false;
        }
    }

    private static bool HasOption(ReadOnlySpan<char> options, string name)
    {
        foreach (var range in options.Split(','))
        {
            if (options[range].SequenceEqual(name))
            {
                return true;
            }
        }

        return false;
    }

    // The kernel writes space, tab, newline and backslash as \ooo (fs/seq_file.c, mangle_path).
    private static string Unescape(ReadOnlySpan<char> text)
    {
        var result = new StringBuilder(text.Length);
        for (var i = 0; i < text.Length; i++)
        {
            if (text[i] == '\\' && i + 3 < text.Length && text.Slice(i + 1, 3).IndexOfAnyExceptInRange('0', '7') < 0)
            {
                result.Append((char)(((text[i + 1] - '0') << 6) | ((text[i + 2] - '0') << 3) | (text[i + 3] - '0')));
                i += 3;
            }
            else
            {
                result.Append(text[i]);
            }
        }

        return result.ToString();
    }
}
