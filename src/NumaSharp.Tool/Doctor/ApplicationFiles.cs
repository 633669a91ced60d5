using NumaSharp.Tool.Commands;

namespace NumaSharp.Tool.Doctor;

/// <summary>The runtimeconfig.json of the application that the doctor is asked about.</summary>
/// <param name="RuntimeConfig">The file; <see langword="null"/> if there is none, or none is the only one.</param>
/// <param name="Candidates">The files that were found and not read.</param>
/// <param name="Unread">Why they were not read, in a sentence.</param>
internal sealed record ApplicationFiles(string? RuntimeConfig, IReadOnlyList<string> Candidates, string? Unread = null)
{
    private const string Suffix = ".runtimeconfig.json";

    // Programs of Linux have no extension, and names have dots.
    private static readonly string[] s_programs = [".dll", ".exe"];

    // A copy of the command may be in the application's folder.
    private static readonly string s_own = typeof(ApplicationFiles).Assembly.GetName().Name + Suffix;

    public static ApplicationFiles None { get; } = new(null, []);

    /// <summary>The application that a user names: its runtimeconfig.json, its program, or its folder.</summary>
    /// <exception cref="ToolException">There is no such file, or the folder has not exactly one.</exception>
    public static ApplicationFiles Named(string path)
    {
        if (Directory.Exists(path))
        {
            var files = In(path);
            return files is [var only]
                ? new ApplicationFiles(only, [])
                : throw new ToolException(files is []
                    ? $"--app '{path}': the folder has no *{Suffix}."
                    : $"--app '{path}': the folder has {files.Length} applications; name one of "
                    + $"{string.Join(", ", files.Select(Path.GetFileName))}.");
        }

        if (!File.Exists(path))
        {
            throw new ToolException(
                $"--app '{path}' does not exist; a {Suffix[1..]}, a program that has one beside it, or a folder is needed.");
        }

        // Read as one, whatever its name: GcSettings says if it is none.
        if (Path.GetExtension(path) == ".json")
        {
            return new ApplicationFiles(path, []);
        }

        var name = s_programs.Contains(Path.GetExtension(path), StringComparer.OrdinalIgnoreCase)
            ? Path.ChangeExtension(path, null)
            : path;
        return File.Exists(name + Suffix)
            ? new ApplicationFiles(name + Suffix, [])
            : throw new ToolException($"--app '{path}' has no {Path.GetFileName(name)}{Suffix} beside it.");
    }

    /// <summary>
    /// The application of a folder, or if that has none, of the one with this program. Not asked for, so that it never fails.
    /// </summary>
    public static ApplicationFiles FoundFrom(string folder, string programFolder)
    {
        foreach (var place in new[] { folder, programFolder })
        {
            string[] files;
            try
            {
                files = In(place);
            }
            catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
            {
                // A folder that others may enter and not list.
                continue;
            }

            if (files.Length > 1)
            {
                return new ApplicationFiles(
                    null, files, $"'{place}' has several applications: the garbage collector's settings of none were read.");
            }

            if (files is [var only])
            {
                return new ApplicationFiles(only, []);
            }
        }

        return None;
    }

    /// <summary>The same after a file that was found proved unreadable.</summary>
    public ApplicationFiles WithoutConfig(string reason) => new(null, [RuntimeConfig!], reason);

    private static string[] In(string folder) =>
    [
        .. Directory.EnumerateFiles(folder, "*" + Suffix)
            .Where(static file => Path.GetFileName(file) != s_own)
            .Order(StringComparer.Ordinal),
    ];
}
