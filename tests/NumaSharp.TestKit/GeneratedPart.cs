namespace NumaSharp.TestKit;

/// <summary>
/// The part of a page that is generated from the code: between a comment that ends with <c>VARIABLE=1. --></c>, which says how,
/// and the comment <c>/Generated</c>.
/// </summary>
public static class GeneratedPart
{
    private const string End = "<!-- /Generated -->";

    /// <summary>Compares the part with what the code says; with the variable set to 1 writes the page instead.</summary>
    public static void Verify(string variable, string generated, params string[] page)
    {
        var begin = $"{variable}=1. -->\n";
        var text = Repository.Read(page);
        var start = text.IndexOf(begin, StringComparison.Ordinal) + begin.Length;
        var end = text.IndexOf(End, start, StringComparison.Ordinal);
        var actual = text[start..end];
        if (Environment.GetEnvironmentVariable(variable) == "1")
        {
            File.WriteAllText(Repository.PathOf(page), text[..start] + generated + text[end..]);
            return;
        }

        var (before, after) = (actual.Split('\n'), generated.Split('\n'));
        Assert.True(
            actual == generated,
            $"{string.Join('/', page)} is not what the code says. Run the tests with {variable}=1 and commit the page.\n"
            + string.Concat(before.Except(after).Select(static line => $"- {line}\n"))
            + string.Concat(after.Except(before).Select(static line => $"+ {line}\n")));
    }
}
