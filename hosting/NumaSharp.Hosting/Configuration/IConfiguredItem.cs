using System.Globalization;

namespace NumaSharp.Hosting.Configuration;

/// <summary>An item of a list that knows its key, which is not its position where keys are left out.</summary>
internal interface IConfiguredItem
{
    /// <summary>The key below the list, or <see langword="null"/> for an item that code has added.</summary>
    string? Key { get; set; }

    /// <summary>What messages call the item.</summary>
    string KeyAt(int position) => Key ?? position.ToString(CultureInfo.InvariantCulture);
}
